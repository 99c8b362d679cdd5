import './c.mjs';
note('d runs');
