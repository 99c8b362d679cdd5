import './ring1.mjs';
note('over_ring runs');
