// The name that is missing is another one here than in the module that is imported.
import fs from 'node:fs'; import Local, { other } from './c.mjs';
console.log(fs, Local, other);
