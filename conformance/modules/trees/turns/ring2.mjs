import './ring1.mjs';
note('ring2 runs');
