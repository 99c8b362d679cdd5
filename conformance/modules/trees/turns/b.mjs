import './a.mjs';
note('b runs');
