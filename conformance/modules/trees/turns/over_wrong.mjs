import './wrong.mjs';
note('over_wrong runs');
