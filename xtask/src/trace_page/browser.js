'use strict';
// Chromium without a window, driven over the pipe of its DevTools protocol (https://chromedevtools.github.io/devtools-protocol/).
// It needs Node 18 and no package.

const { spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { pathToFileURL } = require('node:url');

class Browser {
  constructor(program) {
    this.profile = fs.mkdtempSync(path.join(os.tmpdir(), 'trace-page-'));
    const flags = ['--headless=new', '--no-sandbox', '--disable-gpu', '--hide-scrollbars=false', '--no-first-run', '--disable-extensions',
      '--disable-background-networking', `--user-data-dir=${this.profile}`, '--remote-debugging-pipe', 'about:blank'];
    this.child = spawn(program, flags, { stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'] });
    this.stderr = '';
    this.child.stderr.on('data', (data) => (this.stderr += data));
    this.child.on('error', (error) => this.fail(error));
    this.child.on('exit', (code) => this.fail(new Error(`chromium exited with ${code}: ${this.stderr.slice(-2000)}`)));
    this.calls = new Map();
    this.listeners = [];
    this.next = 1;
    let rest = Buffer.alloc(0);
    this.child.stdio[4].on('data', (data) => {
      rest = Buffer.concat([rest, data]);
      for (let end; (end = rest.indexOf(0)) >= 0; rest = rest.subarray(end + 1)) this.receive(JSON.parse(rest.subarray(0, end)));
    });
  }

  fail(error) {
    for (const { reject } of this.calls.values()) reject(error);
    this.calls.clear();
  }

  receive(message) {
    if (message.id) {
      const call = this.calls.get(message.id);
      this.calls.delete(message.id);
      if (message.error) call?.reject(new Error(`${call.method}: ${message.error.message}`));
      else call?.resolve(message.result);
    } else {
      for (const listener of this.listeners) listener(message);
    }
  }

  send(method, params = {}, sessionId = undefined) {
    return new Promise((resolve, reject) => {
      const id = this.next++;
      this.calls.set(id, { resolve, reject, method });
      this.child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  // Opens a file and returns its page.
  async open(file, { width = 1440, height = 900, dark = false } = {}) {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    const page = new Page(this, sessionId);
    await page.send('Page.enable');
    await page.send('Runtime.enable');
    await page.send('Log.enable');
    await page.send('Network.enable');
    await page.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
    await page.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }] });
    await page.send('Page.navigate', { url: pathToFileURL(file).href });
    await page.until('document.body && document.body.dataset.ready === "true"', 60_000);
    return page;
  }

  async close() {
    const exited = new Promise((resolve) => this.child.once('exit', resolve));
    await this.send('Browser.close').catch(() => {});
    await exited;
    fs.rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

const KEY_CODES = { Enter: 13, Escape: 27, Tab: 9, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40 };

class Page {
  constructor(browser, session) {
    this.browser = browser;
    this.session = session;
    this.errors = [];
    this.requests = [];
    browser.listeners.push(({ sessionId, method, params }) => {
      if (sessionId !== session) return;
      if (method === 'Runtime.exceptionThrown') this.errors.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
      if (method === 'Log.entryAdded' && params.entry.level === 'error') this.errors.push(params.entry.text);
      if (method === 'Network.requestWillBeSent') this.requests.push(params.request.url);
    });
  }

  send(method, params) {
    return this.browser.send(method, params, this.session);
  }

  // The value of an expression in the page; promises are awaited.
  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
    return result.value;
  }

  // Waits until an expression is true.
  async until(expression, limitMs = 10_000) {
    const end = Date.now() + limitMs;
    while (!(await this.evaluate(`Boolean(${expression})`))) {
      if (Date.now() > end) throw new Error(`not true within ${limitMs} ms: ${expression}; errors: ${this.errors.join('; ') || 'none'}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  // Waits until the page stands still and has told its listeners.
  settle() {
    return this.evaluate(`new Promise((resolve) => {
      const look = () => (timeline.gliding || timeline.isScheduled ? setTimeout(look, 20) : setTimeout(resolve, 160));
      requestAnimationFrame(() => requestAnimationFrame(look));
    })`);
  }

  mouse(type, x, y, more = {}) {
    return this.send('Input.dispatchMouseEvent', { type, x, y, button: 'none', ...more });
  }

  async click(x, y, count = 1) {
    await this.mouse('mouseMoved', x, y);
    for (let clickCount = 1; clickCount <= count; clickCount++) {
      await this.mouse('mousePressed', x, y, { button: 'left', clickCount });
      await this.mouse('mouseReleased', x, y, { button: 'left', clickCount });
    }
  }

  async drag(from, to, modifiers = 0) {
    await this.mouse('mouseMoved', ...from, { modifiers });
    await this.mouse('mousePressed', ...from, { button: 'left', clickCount: 1, modifiers });
    for (let step = 1; step <= 8; step++) {
      const between = from.map((start, axis) => start + ((to[axis] - start) * step) / 8);
      await this.mouse('mouseMoved', ...between, { button: 'left', buttons: 1, modifiers });
    }
    await this.mouse('mouseReleased', ...to, { button: 'left', clickCount: 1, modifiers });
  }

  wheel(x, y, deltaY, deltaX = 0) {
    return this.mouse('mouseWheel', x, y, { deltaX, deltaY });
  }

  async key(key, heldMs = 0) {
    const isText = key.length === 1;
    const code = KEY_CODES[key] ?? key.toUpperCase().charCodeAt(0);
    await this.send('Input.dispatchKeyEvent', {
      type: isText || key === 'Enter' ? 'keyDown' : 'rawKeyDown', key, text: isText ? key : key === 'Enter' ? '\r' : undefined, windowsVirtualKeyCode: code,
    });
    if (heldMs > 0) await new Promise((resolve) => setTimeout(resolve, heldMs));
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', key, windowsVirtualKeyCode: code });
  }

  async type(text) {
    for (const letter of text) await this.key(letter);
  }

  async screenshot(file) {
    const { data } = await this.send('Page.captureScreenshot', { format: 'png' });
    fs.writeFileSync(file, Buffer.from(data, 'base64'));
  }
}

module.exports = { Browser };
