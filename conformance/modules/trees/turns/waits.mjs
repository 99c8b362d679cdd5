note('waits runs');
await 1;
await 2;
note('waits goes on');
