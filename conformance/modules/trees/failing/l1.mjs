import {nope} from "./l2.mjs"; export const k=1
