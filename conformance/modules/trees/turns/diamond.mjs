import './b.mjs';
import './b2.mjs';
note('diamond runs');
