import './ringw1.mjs';
note('ringw2 runs');
await 1;
note('ringw2 goes on');
