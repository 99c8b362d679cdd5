exports.x = 1; throw new Error('load failed');
