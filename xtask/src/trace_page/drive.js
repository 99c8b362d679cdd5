'use strict';
// Drives the page of a trace in Chromium and checks what it shows: node drive.js CHROMIUM FOLDER. The folder has small.html, big.html,
// odd.html, empty.html and small.json, which `cargo xtask trace-page` makes; screenshots are written there.

const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const { Browser } = require('./browser.js');
const { checkChrome } = require('./chrome_json.js');

const [chromium, folder] = process.argv.slice(2);
const SHIFT = 8;

// The most milliseconds of processor time that drawing a frame of a million callbacks may take on the main thread.
const MOST_FRAME_MS = 33;

const view = (page) => page.evaluate('({ t0: timeline.view.t0, t1: timeline.view.t1 })');
const span = async (page) => page.evaluate('timeline.view.t1 - timeline.view.t0');

// The middle of a callback in the window. `find` is an expression for its index in the thread.
async function place(page, thread, find) {
  return page.evaluate(`(() => {
    const thread = trace.threads[${thread}];
    const index = (${find})(thread);
    const ref = { type: 'callback', thread, index };
    const { left, right, top, bottom } = timeline.rectOf(ref);
    const box = timeline.canvas.getBoundingClientRect();
    return { index, x: box.left + GUTTER + (left + right) / 2, y: box.top + (top + bottom) / 2 - timeline.scroller.scrollTop };
  })()`);
}

const firstNamed = (name) => `(thread) => { for (let i = 0; ; i++) if (callbackName(thread, i) === ${JSON.stringify(name)}) return i; }`;
const panelText = (page, name) => page.evaluate(`document.getElementById('panel-${name}').innerText`);

const steps = {
  async 'opens and draws'(page) {
    const countColors = () => page.evaluate(`(() => {
      const { width, height } = timeline.canvas;
      const { data } = timeline.canvas.getContext('2d').getImageData(0, 0, width, height);
      return new Set(new Uint32Array(data.buffer)).size;
    })()`);
    // The first frame of a browser that has just started may be late.
    let colors = await countColors();
    for (const until = Date.now() + 20_000; colors <= 30 && Date.now() < until; colors = await countColors()) await page.settle();
    assert(colors > 30, `the timeline has ${colors} colours`);
    assert.match(await page.evaluate('document.getElementById("about").textContent'), /callbacks · 2 threads/);
    assert.match(await panelText(page, 'summary'), /renderReport/);
    for (const heading of ['Phases', 'Longest blocks', 'Callbacks', 'Files', 'Latest timers', 'Thread pool']) {
      assert((await panelText(page, 'summary')).includes(heading), `the summary has ${heading}`);
    }
    await page.screenshot(path.join(folder, '1-whole.png'));
  },

  async 'zooms around the pointer with the wheel'(page) {
    const before = await view(page);
    await page.mouse('mouseMoved', 700, 300);
    for (let i = 0; i < 6; i++) await page.wheel(700, 300, -240);
    await page.settle();
    const after = await view(page);
    const under = ({ t0, t1 }) => page.evaluate(`${t0} + (700 - GUTTER) / timeline.view.width * ${t1 - t0}`);
    assert(after.t1 - after.t0 < (before.t1 - before.t0) / 8, 'zoomed in');
    const moved = Math.abs((await under(after)) - (await under(before)));
    assert(moved < (after.t1 - after.t0) / 100, `the time under the pointer moved by ${moved} ns`);
    await page.screenshot(path.join(folder, '2-zoomed.png'));
    await page.key('0');
    await page.settle();
    assert(await span(page) > (before.t1 - before.t0) * 0.99, 'the key 0 shows the whole trace');
  },

  async 'moves with the keys and by dragging'(page) {
    const whole = await span(page);
    await page.key('w', 250);
    await page.settle();
    const zoomed = await view(page);
    assert(zoomed.t1 - zoomed.t0 < whole * 0.9, 'W zooms in');
    await page.key('d', 250);
    await page.settle();
    const panned = await view(page);
    assert(panned.t0 > zoomed.t0, 'D pans to the right');
    await page.drag([600, 700], [800, 700]);
    await page.settle();
    assert((await view(page)).t0 < panned.t0, 'dragging to the right shows what was before');
    await page.key('0');
    await page.settle();
  },

  async 'a click shows what it is, how long, how late and who asked for it'(page) {
    const { x, y } = await place(page, 0, firstNamed('renderReport'));
    await page.mouse('mouseMoved', x, y);
    await page.until('!document.getElementById("tooltip").hidden');
    assert.match(await page.evaluate('document.getElementById("tooltip").innerText'), /renderReport/);
    await page.click(x, y);
    await page.settle();
    const text = await panelText(page, 'selection');
    for (const expected of [/renderReport/, /Duration\s*\d/, /timeout/, /report\.js:88/, /Asked for by/, /timer started/, /scheduleReport/, /after 400|every 400/]) {
      assert.match(text, expected);
    }
    await page.screenshot(path.join(folder, '3-selected.png'));
    await page.key('c');
    await page.settle();
    assert.match(await panelText(page, 'selection'), /server\.js:1/, 'C goes to the cause');
    await page.key('Escape');
    assert.equal(await page.evaluate('timeline.selected'), null);
  },

  async 'arrows lead from the sender of a message to its callback'(page) {
    const { index } = await place(page, 1, firstNamed('onJob'));
    await page.evaluate(`timeline.select({ type: 'callback', thread: trace.threads[1], index: ${index} }, { zooms: true })`);
    await page.settle();
    assert.equal(await page.evaluate('timeline.chain[0].from.thread.name'), 'main');
    assert.match(await panelText(page, 'selection'), /Message\s+From\s+main/);
    await page.evaluate('timeline.zoom(20)');
    await page.key('r');
    await page.settle();
    assert.equal(await page.evaluate('timeline.showsAllCauses'), true);
    await page.screenshot(path.join(folder, '4-message.png'));
    await page.key('r');
    await page.key('Escape');
    await page.key('0');
    await page.settle();
  },

  async 'the selection moves with the arrow keys'(page) {
    const { index } = await place(page, 0, firstNamed('sendResponse'));
    await page.evaluate(`timeline.select({ type: 'callback', thread: trace.threads[0], index: ${index} }, { shows: true })`);
    await page.evaluate('timeline.canvas.focus()');
    await page.key('ArrowUp');
    assert.equal(await page.evaluate('callbackName(timeline.selected.thread, timeline.selected.index)'), 'check');
    await page.key('ArrowDown');
    assert.equal(await page.evaluate('timeline.selected.index'), index);
    await page.key('ArrowRight');
    assert(await page.evaluate('timeline.selected.index') > index);
    await page.key('Enter');
    await page.settle();
    assert(await span(page) < 1e6, 'Enter zooms to the selection');
    await page.key('Escape');
    await page.key('0');
    await page.settle();
  },

  async 'finds functions, files and kinds'(page) {
    await page.key('/');
    await page.until('document.activeElement.id === "search"');
    await page.type('render');
    await page.until('search.text === "render"');
    const results = await page.evaluate('search.results.length');
    assert(results > 10, `${results} results`);
    await page.key('Enter');
    await page.settle();
    const first = await page.evaluate('timeline.selected.index');
    await page.key('Enter');
    await page.settle();
    assert(await page.evaluate('timeline.selected.index') > first, 'the next result');
    assert.match(await page.evaluate('document.getElementById("search-count").textContent'), new RegExp(`^2 / ${results.toLocaleString('en-US')}$`));
    await page.screenshot(path.join(folder, '5-search.png'));
    for (const [text, least] of [['stats.js', 1], ['microtask', 20], ['GET /style.css', 5], ['no such thing', 0]]) {
      const found = await page.evaluate(`(search.run(${JSON.stringify(text)}), search.results.length)`);
      assert(least === 0 ? found === 0 : found >= least, `${text}: ${found} results`);
    }
    await page.key('Escape');
    assert.equal(await page.evaluate('document.getElementById("search").value'), '');
    await page.evaluate('timeline.canvas.focus()');
    await page.key('0');
    await page.settle();
  },

  async 'zooms to the nanosecond'(page) {
    const { index } = await place(page, 0, firstNamed('readNext'));
    await page.evaluate(`timeline.select({ type: 'callback', thread: trace.threads[0], index: ${index} }, { zooms: true })`);
    await page.settle();
    const box = await place(page, 0, `() => ${index}`);
    for (let i = 0; i < 40; i++) await page.wheel(box.x, box.y, -240);
    await page.settle();
    assert.equal(await span(page), 20);
    await page.screenshot(path.join(folder, '6-nanoseconds.png'));
    await page.key('Escape');
    await page.key('0');
    await page.settle();
  },

  async 'dragging with Shift sums a part up'(page) {
    const y = await page.evaluate('timeline.canvas.getBoundingClientRect().top + 60');
    await page.drag([500, y], [800, y], SHIFT);
    await page.settle();
    assert.match(await panelText(page, 'summary'), /^Marked part/);
    await page.screenshot(path.join(folder, '7-part.png'));
    await page.key('Escape');
    assert.match(await panelText(page, 'summary'), /^Whole trace/);
  },

  async 'two fingers zoom'(page) {
    const before = await span(page);
    const touch = (type, points) => page.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
    await page.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 2 });
    await touch('touchStart', [[600, 500]]);
    await touch('touchStart', [[600, 500], [700, 500]]);
    for (let i = 1; i <= 8; i++) await touch('touchMove', [[600 - 15 * i, 500], [700 + 15 * i, 500]]);
    await touch('touchEnd', []);
    await page.send('Emulation.setTouchEmulationEnabled', { enabled: false });
    await page.settle();
    const after = await span(page);
    assert(after < before / 2, `the span is ${after} after ${before}`);
    await page.evaluate('timeline.canvas.focus()');
    await page.key('0');
    await page.settle();
  },

  async 'a double click zooms, a track folds'(page) {
    const { x, y } = await place(page, 0, firstNamed('renderReport'));
    await page.click(x, y, 2);
    await page.settle();
    assert(await span(page) < 1e9 && await page.evaluate('timeline.view.t1 - timeline.view.t0 < trace.end / 3'), 'zoomed to the callback');
    await page.key('Escape');
    await page.key('0');
    const before = await page.evaluate('timeline.contentHeight');
    await page.evaluate('document.querySelector(".track").click()');
    assert(await page.evaluate('timeline.contentHeight') < before, 'a click on the name of a track folds it');
    await page.evaluate('document.querySelector(".track").click()');
    await page.settle();
  },

  async 'dark and light'(page) {
    const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const light = await background();
    await page.key('t');
    await page.settle();
    assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark');
    assert.notEqual(await background(), light);
    await page.screenshot(path.join(folder, '8-dark.png'));
    await page.key('t');
  },

  async 'every control has a name, and focus is visible'(page) {
    const { nodes } = await page.send('Accessibility.getFullAXTree');
    const controls = nodes.filter(({ ignored, role }) => !ignored && ['button', 'searchbox', 'combobox', 'tab', 'tablist', 'toolbar', 'image', 'dialog'].includes(role?.value));
    assert(controls.length > 15, `${controls.length} controls`);
    for (const { role, name } of controls) assert(name?.value, `a ${role.value} has no name`);
    await page.evaluate('document.getElementById("search").focus()');
    const visited = [];
    for (let i = 0; i < 12; i++) {
      await page.key('Tab');
      const { name, outline } = await page.evaluate(`(() => {
        const { activeElement } = document;
        return { name: activeElement.id || activeElement.className, outline: getComputedStyle(activeElement).outlineStyle };
      })()`);
      assert.notEqual(outline, 'none', `${name} shows its focus`);
      visited.push(name);
    }
    for (const name of ['theme', 'help-button', 'timeline', 'tab-selection']) assert(visited.includes(name), `${name} is reached by Tab: ${visited.join(' ')}`);
  },

  async 'the text alternative lists the longest callbacks in view'(page) {
    await page.evaluate('document.getElementById("tab-view").click()');
    const text = await panelText(page, 'view');
    assert.match(text, /renderReport/);
    assert.match(await page.evaluate('document.getElementById("status").textContent'), /callbacks$/);
    await page.screenshot(path.join(folder, '9-in-view.png'));
    await page.evaluate('document.querySelector("#panel-view .link").click()');
    await page.settle();
    assert.equal(await page.evaluate('timeline.selected.type'), 'callback');
    await page.key('Escape');
  },

  async 'help'(page) {
    await page.evaluate('timeline.canvas.focus()');
    await page.key('?');
    await page.until('document.getElementById("help").open');
    await page.screenshot(path.join(folder, '10-help.png'));
    await page.key('Escape');
    await page.until('!document.getElementById("help").open');
  },
};

// Opens a page and goes through everything that can be selected.
async function visit(browser, name) {
  const page = await browser.open(path.join(folder, name), { width: 700, height: 800, dark: true });
  await page.evaluate(`(() => {
    for (const { rows } of timeline.tracks) {
      for (const { row } of rows) if (row.n > 0 && !row.isCounter) timeline.select(row.describe.ref(row.item(row.n - 1)), { shows: true });
    }
    for (const tab of TABS) openTab(tab);
    search.run('a');
    search.go(1);
    timeline.select(null);
    moveSelection('ArrowRight');
    toggleCauses();
  })()`);
  await page.settle();
  await page.screenshot(path.join(folder, name.replace('html', 'png')));
  assert.deepEqual(page.errors, [], `errors of ${name}`);
  console.log(`   ${name} shows what there is`);
}

// Pans at several zooms. Prints and checks the processor time of the main thread for each frame.
async function measure(browser) {
  const start = Date.now();
  const page = await browser.open(path.join(folder, 'big.html'));
  console.log(`   a page of ${await page.evaluate('formatCount(trace.callbackCount)')} callbacks opens in ${((Date.now() - start) / 1000).toFixed(1)} s`);
  await page.screenshot(path.join(folder, '11-million.png'));
  await page.send('Performance.enable', { timeDomain: 'threadTicks' });
  const used = async () => (await page.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration').value * 1000;
  for (const part of [1, 0.1, 0.01, 0.001]) {
    await page.evaluate(`timeline.setView(trace.end * (0.5 - ${part} / 2), trace.end * (0.5 + ${part} / 2))`);
    await page.settle();
    const before = await used();
    await page.evaluate(`(async () => {
      for (let i = 0; i < 20; i++) {
        const { t0, t1 } = timeline.view;
        timeline.setView(t0 + (t1 - t0) * 0.003, t1 + (t1 - t0) * 0.003);
        await new Promise(requestAnimationFrame);
      }
    })()`);
    const frame = ((await used()) - before) / 20;
    console.log(`   ${String(part * 100).padStart(5)} % of it visible: ${frame.toFixed(1)} ms for a frame`);
    assert(frame < MOST_FRAME_MS, `a frame takes ${frame} ms`);
  }
  assert.deepEqual(page.errors, []);
}

async function main() {
  console.log(`   ${checkChrome(JSON.parse(fs.readFileSync(path.join(folder, 'small.json'), 'utf8')))} events of Chrome JSON are well-formed`);
  const browser = new Browser(chromium);
  try {
    const page = await browser.open(path.join(folder, 'small.html'));
    for (const [name, step] of Object.entries(steps)) {
      try {
        await step(page);
      } catch (error) {
        await page.screenshot(path.join(folder, 'failed.png'));
        error.message = `${name}: ${error.message}`;
        throw error;
      }
      console.log(`   ${name}`);
    }
    assert.deepEqual(page.errors, [], 'errors of the page');
    const foreign = page.requests.filter((url) => !url.startsWith('file:') && !url.startsWith('data:'));
    assert.deepEqual(foreign, [], 'the page uses the network');
    await visit(browser, 'odd.html');
    await visit(browser, 'empty.html');
    await measure(browser);
  } finally {
    await browser.close();
  }
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
