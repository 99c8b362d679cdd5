import './c.mjs';
import './nothing.mjs';
note('late_nothing runs');
