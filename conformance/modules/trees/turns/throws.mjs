note('throws runs');
throw new Error('thrown');
