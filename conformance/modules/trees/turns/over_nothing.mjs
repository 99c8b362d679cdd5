import './nothing.mjs';
note('over_nothing runs');
