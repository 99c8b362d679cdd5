exports.a = 1; exports['b-c'] = 2; Object.defineProperty(exports, 'd', { enumerable: true, value: 3 }); exports.default = 'inner';
