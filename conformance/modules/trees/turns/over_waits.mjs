import './waits.mjs';
note('over_waits runs');
