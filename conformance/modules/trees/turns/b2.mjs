import './a.mjs';
note('b2 runs');
