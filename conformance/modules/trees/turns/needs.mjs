note('needs runs');
await 1;
require('x');
