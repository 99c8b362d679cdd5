import './a.mjs';
import './a2.mjs';
note('wide runs');
