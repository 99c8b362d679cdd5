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
    const { begins, ends } = this;
    let best = from;
    let most = ends[from] - begins[from];
    for (let level = -1; from < to; level++) {
      const blocks = level < 0 ? null : this.levels[level];
      const isLast = level + 1 >= this.levels.length || to - from < FAN;
      const middle = isLast ? to : Math.min(to, Math.ceil(from / FAN) * FAN);
      for (; from < middle; from++) {
        const place = blocks === null ? from : blocks[from];
        const length = ends[place] - begins[place];
        if (length > most) {
          best = place;
          most = length;
        }
      }
      const tail = Math.max(from, Math.floor(to / FAN) * FAN);
      for (; to > tail; to--) {
        const place = blocks === null ? to - 1 : blocks[to - 1];
        const length = ends[place] - begins[place];
        if (length > most) {
          best = place;
          most = length;
        }
      }
      from /= FAN;
      to /= FAN;
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

  // Draws the part of the row that is visible. `view` has t0, t1, scale (pixels in a nanosecond) and width. Items that are smaller
  // than a pixel go to the layer.
  draw(g, layer, view, theme) {
    const { t0, t1, scale, width } = view;
    const { begins, ends, n, height, y } = this;
    layer.beginRow(y, height);
    let place = upperBound(ends, t0);
    // Items without a duration at the left edge.
    while (place > 0 && begins[place - 1] >= t0) place--;
    while (place < n && begins[place] < t1) {
      const left = (begins[place] - t0) * scale;
      const right = (ends[place] - t0) * scale;
      if (right - left >= 1.5) {
        this.drawItem(g, theme, place, Math.max(left, -4), Math.min(right, width + 4));
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
      layer.set(pixel, theme.pixels[color], (0.4 + 0.6 * cover) * this.emphasis(place, next));
      place = next;
    }
    layer.endRow();
  }

  drawItem(g, theme, place, left, right) {
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

// A picture in memory for everything that is smaller than a pixel: writing numbers is faster than tens of thousands of rectangles.
class Layer {
  resize(width, height) {
    Object.assign(this, { width, height });
    this.canvas = new OffscreenCanvas(width, height);
    this.g = this.canvas.getContext('2d', { willReadFrequently: true });
    this.image = new ImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.line = new Uint32Array(width);
  }

  // Everything that is drawn lies lower by `scroll` than it is seen.
  clear(scroll) {
    this.scroll = scroll;
    this.pixels.fill(0);
  }

  beginRow(y, height) {
    this.top = Math.max(0, Math.round(y - this.scroll));
    this.bottom = Math.min(this.height, Math.round(y - this.scroll + height));
    this.first = this.width;
    this.last = -1;
  }

  // Sets a pixel of the row. `color` is its blue, green and red in 24 bits.
  set(x, color, alpha) {
    if (x >= this.width) return;
    if (this.last < 0) this.first = x;
    else if (x > this.last + 1) this.line.fill(0, this.last + 1, x);
    this.line[x] = color | ((alpha * 255) << 24);
    this.last = x;
  }

  endRow() {
    if (this.last < 0) return;
    const line = this.line.subarray(this.first, this.last + 1);
    for (let y = this.top; y < this.bottom; y++) this.pixels.set(line, y * this.width + this.first);
  }

  // Sets the pixels of a column.
  column(x, top, bottom, color) {
    const end = Math.min(this.height, Math.round(bottom - this.scroll));
    for (let y = Math.max(0, Math.round(top - this.scroll)); y < end; y++) this.pixels[y * this.width + x] = color;
  }

  // Draws everything onto a canvas, at the place of the rows.
  paint(g) {
    this.g.putImageData(this.image, 0, 0);
    g.imageSmoothingEnabled = false;
    g.drawImage(this.canvas, 0, this.scroll);
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

  draw(g, layer, { t0, t1, scale, width }, theme) {
    const { times, values, y, height, n, most } = this;
    if (most === 0) return;
    const color = (theme.pixels[this.color] | (0x90 << 24)) >>> 0;
    const end = Math.min(layer.width, Math.ceil(width), Math.ceil((trace.end - t0) * scale));
    let place = upperBound(times, t0);
    let value = place > 0 ? values[place - 1] : 0;
    for (let x = Math.max(0, Math.floor(-t0 * scale)); x < end; x++) {
      let top = value;
      const until = t0 + (x + 1) / scale;
      if (place < n && times[place] < until) {
        const next = gallop(times, until, place);
        top = Math.max(value, this.largest(place, next));
        value = values[next - 1];
        place = next;
      }
      if (top > 0) layer.column(x, y + height - Math.max(1, (top / most) * (height - 1)), y + height, color);
    }
  }
}

