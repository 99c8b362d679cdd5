globalThis.throws = (globalThis.throws ?? 0) + 1; throw new Error('body threw');
