import { lacking } from './a.mjs';
