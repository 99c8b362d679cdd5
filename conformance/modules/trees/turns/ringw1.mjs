import './ringw2.mjs';
note('ringw1 runs');
