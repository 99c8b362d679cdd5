// An ES module of tests, with a root hook and top-level await.
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';

const loaded = await delay(2, 'loaded');
const order = [];
beforeEach(() => { order.push('hook'); });

describe('modules', () => {
  it('wait at the top', () => assert.equal(loaded, 'loaded'));
  it('share their state', () => assert.deepEqual(order, ['hook', 'hook']));
  it('import', async () => assert.equal((await import('node:path')).basename('/a/b'), 'b'));
});
