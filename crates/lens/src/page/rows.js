// Rows of the timeline: things of one kind side by side, ordered by time, that do not overlap. A row of any length is drawn in
// the time of its pixels: things smaller than a pixel are merged, with the help of sums and maxima made once.

const FAN = 16;

// The index of the first number greater than `value`, from `low` on.
function upperBound(numbers, value, low = 0, high = numbers.length) {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle] > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

// As upperBound, for a place that is near `low`.
function gallop(numbers, value, low) {
  let step = 1;
  let high = low;
  while (high < numbers.length && numbers[high] <= value) {
    low = high + 1;
    high += step;
    step *= 2;
  }
  return upperBound(numbers, value, low, Math.min(high, numbers.length));
}

class Row {
  // `items` maps a place in the row to the index in its table; null if they are the same. `describe` is an object with
  //   color(index): the index of a colour in the theme's `fills`
  //   label(index): the text in it
  //   ref(index): what is selected by a click
  constructor(begins, ends, items, height, describe) {
    this.begins = begins;
    this.ends = ends;
    this.items = items;
    this.n = begins.length;
    this.height = height;
    this.describe = describe;
    this.y = 0;
    this.matches = null;
    // Sums of durations: sums[i] is that of the items before i.
    this.sums = new Float64Array(this.n + 1);
    for (let i = 0; i < this.n; i++) this.sums[i + 1] = this.sums[i] + ends[i] - begins[i];
    // The longest item of each block of FAN, of each block of FAN blocks, and so on.
    this.levels = [];
    for (let size = this.n; size > FAN;) {
      const below = this.levels[this.levels.length - 1];
      const blocks = new Uint32Array(Math.ceil(size / FAN));
      for (let block = 0; block < blocks.length; block++) {
        let longest = below ? below[block * FAN] : block * FAN;
        for (let i = block * FAN + 1; i < Math.min(size, (block + 1) * FAN); i++) {
          const other = below ? below[i] : i;
          if (this.length(other) > this.length(longest)) longest = other;
        }
        blocks[block] = longest;
      }
      this.levels.push(blocks);
      size = blocks.length;
    }
  }

  length(place) {
    return this.ends[place] - this.begins[place];
  }

  item(place) {
    return this.items ? this.items[place] : place;
  }

  // The place of the longest item of from..to, which must not be empty.
  longest(from, to) {
    let best = from;
    let bestLength = this.length(from);
    let level = -1;
    const look = (at) => {
      const place = level < 0 ? at : this.levels[level][at];
      const length = this.length(place);
      if (length > bestLength) {
        best = place;
        bestLength = length;
      }
    };
    while (from < to) {
      if (level + 1 >= this.levels.length || to - from < FAN) {
        for (; from < to; from++) look(from);
        break;
      }
      while (from % FAN !== 0 && from < to) look(from++);
      while (to % FAN !== 0 && from < to) look(--to);
      from /= FAN;
      to /= FAN;
      level++;
    }
    return best;
  }

  // The place of the item at a time, or of one that is nearer than `slack`; -1 if there is none.
  at(time, slack) {
    const place = upperBound(this.ends, time);
    let best = -1;
    let distance = slack;
    for (const other of [place - 1, place]) {
      if (other < 0 || other >= this.n) continue;
      const away = Math.max(0, this.begins[other] - time, time - this.ends[other]);
      if (away <= distance) {
        best = other;
        distance = away;
      }
    }
    return best;
  }

  // The time in items between two times.
  timeIn(t0, t1) {
    let first = upperBound(this.ends, t0);
    let last = upperBound(this.begins, t1, first);
    if (last <= first) return 0;
    let sum = this.sums[last] - this.sums[first];
    sum -= Math.max(0, t0 - this.begins[first]);
    sum -= Math.max(0, this.ends[last - 1] - t1);
    return sum;
  }

  // Marks the items for which `test` is true, and counts them. Null ends the marking.
  match(test) {
    if (!test) {
      this.matches = null;
      return;
    }
    this.matches = new Uint32Array(this.n + 1);
    for (let i = 0; i < this.n; i++) this.matches[i + 1] = this.matches[i] + (test(this.item(i)) ? 1 : 0);
  }

  // How strongly the items from..to are drawn: 1, or less if none of them matches the search.
  emphasis(from, to) {
    return this.matches && this.matches[to] === this.matches[from] ? 0.16 : 1;
  }

  // Draws the part of the row that is visible. `view` has t0, t1, scale (pixels in a nanosecond) and width.
  draw(g, view, theme) {
    const { t0, t1, scale, width } = view;
    const { begins, ends, n, height, y } = this;
    const runs = new Runs(g, theme, y, height);
    let place = upperBound(ends, t0);
    // Items without a duration at the left edge.
    while (place > 0 && begins[place - 1] >= t0) place--;
    let previousRight = -1;
    while (place < n && begins[place] < t1) {
      const left = (begins[place] - t0) * scale;
      const right = (ends[place] - t0) * scale;
      if (right - left >= 1.5) {
        runs.end();
        this.drawItem(g, theme, place, Math.max(left, -4), Math.min(right, width + 4), previousRight);
        previousRight = right;
        place++;
        continue;
      }
      // All that lies in this pixel.
      const pixel = Math.max(0, Math.floor(left));
      let next = gallop(begins, t0 + (pixel + 1) / scale, place);
      if (next === place) next++;
      // The last one may reach far beyond the pixel.
      if (next - place > 1 && (ends[next - 1] - begins[next - 1]) * scale >= 1.5) next--;
      const cover = Math.min(1, (this.sums[next] - this.sums[place]) * scale);
      const color = this.describe.color(this.item(this.longest(place, next)));
      runs.add(pixel, color, (0.3 + 0.7 * cover) * this.emphasis(place, next));
      place = next;
    }
    runs.end();
  }

  drawItem(g, theme, place, left, right, previousRight) {
    const { y, height } = this;
    const item = this.item(place);
    const emphasis = this.emphasis(place, place + 1);
    const color = this.describe.color(item);
    g.globalAlpha = emphasis;
    g.fillStyle = theme.fills[color];
    // A gap to the item before, if there is room for it.
    const gap = right - left > 3 ? 0.5 : 0;
    const radius = Math.min(3, (right - left) / 3, height / 3);
    if (right - left > 8) {
      g.beginPath();
      g.roundRect(left + gap, y, right - left - 2 * gap, height, radius);
      g.fill();
    } else {
      g.fillRect(left + gap, y, Math.max(1, right - left - 2 * gap), height);
    }
    if (right - left > 26 && height >= 12) {
      const from = Math.max(left, 0);
      const text = this.describe.label(item);
      const room = Math.floor((right - from - 10) / theme.charWidth);
      if (room >= 2 && text) {
        g.fillStyle = theme.inks[color];
        g.fillText(text.length > room ? `${text.slice(0, room - 1)}…` : text, from + 5, y + height / 2 + 0.5);
      }
    }
    g.globalAlpha = 1;
  }
}

// Joins pixels of the same look into one rectangle.
class Runs {
  constructor(g, theme, y, height) {
    Object.assign(this, { g, theme, y, height, color: -1, alpha: 0, from: 0, to: 0 });
  }

  add(pixel, color, alpha) {
    alpha = Math.round(alpha * 12) / 12 || 1 / 12;
    if (pixel !== this.to || color !== this.color || alpha !== this.alpha) {
      this.end();
      Object.assign(this, { color, alpha, from: pixel });
    }
    this.to = pixel + 1;
  }

  end() {
    if (this.color >= 0) {
      this.g.globalAlpha = this.alpha;
      this.g.fillStyle = this.theme.fills[this.color];
      this.g.fillRect(this.from, this.y, this.to - this.from, this.height);
      this.g.globalAlpha = 1;
    }
    this.color = -1;
  }
}

// The row of a counter: a stepped area. Many values in a pixel are drawn as their maximum.
class CounterRow {
  constructor(times, values, height, name, color, format = formatCount) {
    Object.assign(this, { times, values, height, name, color, format, n: times.length, y: 0, isCounter: true });
    this.most = 0;
    this.levels = [];
    for (const value of values) this.most = Math.max(this.most, value);
    for (let below = values; below.length > FAN;) {
      const blocks = new Float64Array(Math.ceil(below.length / FAN));
      for (let i = 0; i < below.length; i++) blocks[(i / FAN) | 0] = Math.max(blocks[(i / FAN) | 0], below[i]);
      this.levels.push(blocks);
      below = blocks;
    }
  }

  // The largest value of from..to.
  largest(from, to) {
    let most = 0;
    let numbers = this.values;
    for (let level = 0; from < to; level++) {
      if (level >= this.levels.length || to - from < FAN) {
        for (; from < to; from++) most = Math.max(most, numbers[from]);
        break;
      }
      while (from % FAN !== 0 && from < to) most = Math.max(most, numbers[from++]);
      while (to % FAN !== 0 && from < to) most = Math.max(most, numbers[--to]);
      from /= FAN;
      to /= FAN;
      numbers = this.levels[level];
    }
    return most;
  }

  valueAt(time) {
    const next = upperBound(this.times, time);
    return next > 0 ? this.values[next - 1] : 0;
  }

  match() {}

  draw(g, { t0, t1, scale, width }, theme) {
    const { times, y, height } = this;
    if (this.most === 0) return;
    g.fillStyle = theme.fills[this.color];
    g.globalAlpha = 0.55;
    g.beginPath();
    g.moveTo(0, y + height);
    let place = upperBound(times, t0);
    let value = place > 0 ? this.values[place - 1] : 0;
    let x = 0;
    const top = () => y + height - (value / this.most) * (height - 2);
    g.lineTo(0, top());
    while (place < this.n && times[place] < t1) {
      x = (times[place] - t0) * scale;
      const next = Math.max(place + 1, gallop(times, t0 + (Math.floor(x) + 1) / scale, place));
      g.lineTo(x, top());
      if (next - place > 1) {
        value = this.largest(place, next);
        g.lineTo(x, top());
        g.lineTo(x + 1, top());
      }
      value = this.values[next - 1];
      g.lineTo(next - place > 1 ? x + 1 : x, top());
      place = next;
    }
    const end = Math.min(width, place < this.n || this.n === 0 ? width : Math.max(x + 2, (trace.end - t0) * scale));
    g.lineTo(end, top());
    g.lineTo(end, y + height);
    g.closePath();
    g.fill();
    g.globalAlpha = 1;
  }
}

