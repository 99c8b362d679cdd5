import './k.cjs';
note('over_k runs');
