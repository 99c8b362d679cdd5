'use strict';
// Entry point of a worker thread: receives its script, runs it and reports uncaught errors to the parent.

const process = require('process');
const channel = require('internal/port');

let control;
let data;
let isOfHooks = false;

function load({ kind, script, argv, environmentData, workerData, hasStdin }, prepare) {
  channel.setRef(control, false);
  isOfHooks = kind === 'hooks';
  if (!isOfHooks) data = workerData;
  if (environmentData.size > 0) {
    const environment = require('internal/worker/environment');
    for (const [key, value] of environmentData) environment.set(key, value);
  }
  require('internal/worker/stdio').begin(control, hasStdin);
  process.argv = isOfHooks ? [process.execPath] : [process.execPath, kind === 'code' ? '[worker eval]' : script, ...argv];
  const run = prepare(process, isOfHooks);
  channel.say(control, ['online']);
  run((cjs, options) => {
    if (isOfHooks) {
      require('internal/modules/hooks_thread').start(native.about().public, workerData);
    } else if (kind === 'code') {
      process._eval = script;
      require('internal/modules/eval').runCode(script, false, options?.value('input-type'), '[worker eval]');
    } else if (kind === 'url') {
      cjs.runUrl(script);
    } else {
      cjs.runMain(script);
    }
  });
}

function openBox(box) {
  channel.open(box, (message) => {
    if (message !== undefined) require('internal/worker/threads').received(message);
  });
}

// Called by `internal/main` on a worker thread.
function start(prepare) {
  const about = native.about();
  ({ control } = about);
  require('internal/worker/process');
  channel.open(control, (message) => {
    // The parent is gone: the thread will be terminated.
    if (message === undefined) return;
    const { 0: what, 1: first } = message;
    if (what === 'load') {
      try {
        load(first, prepare);
      } finally {
        // Open the mailbox after the script has run, so that the script can add its 'workerMessage' listener first.
        openBox(about.box);
      }
    } else if (what === 'usage') {
      channel.say(control, ['usage', process.threadCpuUsage()]);
    } else {
      require('internal/worker/stdio').heard(what, first, message[2]);
    }
  });
  channel.setRef(control, true);
}

// Reports an uncaught error to the parent. The error may not be serializable.
function tell(error) {
  let message = ['unsayable'];
  try {
    message = ['thrown', require('internal/worker/thrown').toData(error)];
  } catch {
    // The error cannot be serialized in any form.
  }
  channel.say(control, message);
}

module.exports = { isOfHooks: () => isOfHooks, start, tell, workerData: () => data };
