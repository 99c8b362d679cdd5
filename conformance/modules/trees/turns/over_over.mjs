import './over_nothing.mjs';
note('over_over runs');
