import './ring2.mjs';
note('ring1 runs');
