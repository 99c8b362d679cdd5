import './b.mjs';
note('c runs');
