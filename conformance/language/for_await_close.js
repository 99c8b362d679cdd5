'use strict';
// A `for await` that is left: the iterator's `return` is called, and has settled when the loop's successor runs.

const { log } = console;

function walked(name, back) {
  let at = 0;
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => Promise.resolve({ value: at++, done: at > 3 }),
      return: back ?? (async () => {
        log(name, 'return');
        await undefined;
        log(name, 'settled');
        return {};
      }),
    }),
  };
}

const told = async (name, run) => {
  log(`-- ${name}`);
  try {
    log('value', await run());
  } catch (error) {
    log('error', error instanceof Error ? error.message : error);
  }
};

async function* passing(name) {
  try {
    for await (const one of walked(name)) {
      try {
        yield one;
      } finally {
        log('yielded', one);
      }
    }
  } finally {
    log('passed');
  }
}

async function main() {
  await told('end', async () => { for await (const one of walked('end')) log(one); });
  await told('throw', async () => { for await (const one of walked('throw')) throw new Error(`at ${one}`); });
  await told('no error', async () => { for await (const one of walked('five')) throw one + 5; });
  await told('awaited', async () => { for await (const one of walked('awaited')) await Promise.reject(new Error(`at ${one}`)); });
  await told('caught inside', async () => {
    for await (const one of walked('inside')) {
      try {
        throw new Error(`at ${one}`);
      } catch (error) {
        log(error.message);
        if (one === 1) break;
        continue;
      } finally {
        log('finally', one);
      }
    }
  });
  await told('return', async () => {
    for await (const one of walked('return')) {
      try {
        return one;
      } finally {
        log('finally');
      }
    }
    return undefined;
  });
  await told('labels', async () => {
    outer: for (const round of [1, 2]) {
      for await (const one of walked(`round ${round}`)) {
        for (const inner of [one]) {
          if (round === 1) continue outer;
          if (inner === 1) break outer;
        }
      }
    }
  });
  await told('two loops', async () => {
    for await (const one of walked('outer')) for await (const two of walked('inner')) throw new Error(`${one} ${two}`);
  });
  const body = async (loop) => { for await (const one of loop) throw new Error(`body ${one}`); };
  await told('return throws', () => body(walked('', () => { throw new Error('return'); })));
  await told('return rejects', () => body(walked('', () => Promise.reject(new Error('return')))));
  await told('return gives no object', () => body(walked('', () => 5)));
  await told('return is no function', () => body(walked('', 5)));
  await told('a plain generator', () => body((function* () {
    try {
      yield 1;
    } finally {
      log('closed');
    }
  })()));
  await told('a generator that returns', async () => {
    const made = passing('left');
    log(await made.next());
    return made.return(7);
  });
  await told('a generator that is thrown into', async () => {
    const made = passing('thrown');
    await made.next();
    return made.throw(new Error('into'));
  });
  await told('closures', async () => {
    const all = [];
    for await (const one of walked('closures')) all.push(() => one);
    return all.map((one) => one());
  });
  await told('at once', () => Promise.allSettled([1, 2].map(async (task) => {
    for await (const one of walked(task)) if (one === 1) throw new Error(`task ${task}`);
  })).then((all) => all.map(({ reason }) => reason.message)));
}

main();
