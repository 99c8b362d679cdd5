import './a.mjs';
import './c.mjs';
import 'os';
note('uneven runs');
