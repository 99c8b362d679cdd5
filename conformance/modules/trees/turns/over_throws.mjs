import './throws.mjs';
note('over_throws runs');
