'use strict';
// `tee()` of ReadableStream: two branches that read one stream, for default and for byte streams.

const process = require('process');
const { queueMicrotask } = require('internal/scheduler');
const { Deferred, kState, nothing, then } = require('internal/webstreams/shared');
const {
  ReadableStreamDefaultReader, cancelStream, closeController, createReadableStream, enqueue, errorController, isByobReader,
  readFrom, releaseAndFail,
} = require('internal/webstreams/readable');

// Cancels the source when both branches have been cancelled.
class BranchCancellation {
  done = new Deferred();
  isCancelled = [false, false];
  #reasons = [undefined, undefined];
  #stream;

  constructor(stream) { this.#stream = stream; }

  cancel(at, reason) {
    this.isCancelled[at] = true;
    this.#reasons[at] = reason;
    if (this.isCancelled[1 - at]) this.done.resolve(cancelStream(this.#stream, this.#reasons));
    return this.done.promise;
  }

  // Called when the source has closed or errored by itself.
  over() {
    if (!this.isCancelled[0] || !this.isCancelled[1]) this.done.resolve();
  }
}

function teeDefault(stream) {
  const reader = new ReadableStreamDefaultReader(stream);
  const cancellation = new BranchCancellation(stream);
  const { isCancelled } = cancellation;
  let isReading = false;

  const each = (call) => {
    for (let at = 0; at < 2; at++) if (!isCancelled[at]) call(branches[at][kState].controller);
  };
  const request = {
    chunk(value) {
      queueMicrotask(() => {
        isReading = false;
        each((controller) => enqueue(controller, value));
      });
    },
    close() {
      // The branches close on nextTick, as in Node (`lib/internal/webstreams/readablestream.js: readableStreamDefaultTee`).
      process.nextTick(() => {
        isReading = false;
        each(closeController);
        cancellation.over();
      });
    },
    error() { isReading = false; },
  };
  async function pull() {
    if (isReading) return;
    isReading = true;
    readFrom(reader, request);
  }
  const branches = [0, 1].map((at) => createReadableStream({
    start: nothing, pull, cancel: (reason) => cancellation.cancel(at, reason),
  }));
  then(reader[kState].closed.promise, undefined, (error) => {
    for (const branch of branches) errorController(branch[kState].controller, error);
    cancellation.over();
  });
  return branches;
}

function teeBytes(stream) {
  const bytes = require('internal/webstreams/readable_bytes');
  const cancellation = new BranchCancellation(stream);
  const { isCancelled } = cancellation;
  const readAgain = [false, false];
  let reader = new ReadableStreamDefaultReader(stream);
  let isReading = false;

  const controllerOf = (at) => branches[at][kState].controller;

  function forwardErrors(from) {
    then(from[kState].closed.promise, undefined, (error) => {
      if (from !== reader) return;
      for (let at = 0; at < 2; at++) bytes.error(controllerOf(at), error);
      cancellation.over();
    });
  }

  // Copies a chunk for the second branch. If the allocation fails, both branches are errored.
  function copyOf(chunk) {
    try {
      return new Uint8Array(chunk.buffer.slice(chunk.byteOffset, chunk.byteOffset + chunk.byteLength));
    } catch (error) {
      for (let at = 0; at < 2; at++) bytes.error(controllerOf(at), error);
      cancellation.done.resolve(cancelStream(stream, error));
      return undefined;
    }
  }

  function readMore() {
    isReading = false;
    if (readAgain[0]) pull(0);
    else if (readAgain[1]) pull(1);
  }

  function readDefault() {
    if (isByobReader(reader)) {
      releaseAndFail(reader);
      reader = new ReadableStreamDefaultReader(stream);
      forwardErrors(reader);
    }
    readFrom(reader, {
      chunk(chunk) {
        queueMicrotask(() => {
          readAgain.fill(false);
          let other = chunk;
          if (!isCancelled[0] && !isCancelled[1]) {
            other = copyOf(chunk);
            if (other === undefined) return;
          }
          if (!isCancelled[0]) bytes.enqueue(controllerOf(0), chunk);
          if (!isCancelled[1]) bytes.enqueue(controllerOf(1), other);
          readMore();
        });
      },
      close() {
        isReading = false;
        for (let at = 0; at < 2; at++) if (!isCancelled[at]) bytes.close(controllerOf(at));
        for (let at = 0; at < 2; at++) {
          if (controllerOf(at)[kState].pulls.length > 0) bytes.respond(controllerOf(at), 0);
        }
        cancellation.over();
      },
      error() { isReading = false; },
    });
  }

  // Reads into the buffer of a BYOB request of branch `at`.
  function readInto(view, at) {
    if (!isByobReader(reader)) {
      releaseAndFail(reader);
      reader = new bytes.ReadableStreamBYOBReader(stream);
      forwardErrors(reader);
    }
    const other = 1 - at;
    bytes.readInto(reader, view, 1, {
      chunk(chunk) {
        queueMicrotask(() => {
          readAgain.fill(false);
          const copy = isCancelled[other] ? undefined : copyOf(chunk);
          if (!isCancelled[other] && copy === undefined) return;
          if (!isCancelled[at]) bytes.respondWithNewView(controllerOf(at), chunk);
          if (copy !== undefined) bytes.enqueue(controllerOf(other), copy);
          readMore();
        });
      },
      close(chunk) {
        isReading = false;
        if (!isCancelled[at]) bytes.close(controllerOf(at));
        if (!isCancelled[other]) bytes.close(controllerOf(other));
        if (chunk !== undefined) {
          if (!isCancelled[at]) bytes.respondWithNewView(controllerOf(at), chunk);
          if (!isCancelled[other] && controllerOf(other)[kState].pulls.length > 0) bytes.respond(controllerOf(other), 0);
        }
        cancellation.over();
      },
      error() { isReading = false; },
    });
  }

  function pull(at) {
    if (isReading) {
      readAgain[at] = true;
      return Promise.resolve();
    }
    isReading = true;
    const request = controllerOf(at).byobRequest;
    if (request === null) readDefault();
    else readInto(request.view, at);
    return Promise.resolve();
  }

  const branches = [0, 1].map((at) => bytes.createByteStream({
    start: nothing, pull: () => pull(at), cancel: (reason) => cancellation.cancel(at, reason),
  }));
  forwardErrors(reader);
  return branches;
}

module.exports = { teeBytes, teeDefault };
