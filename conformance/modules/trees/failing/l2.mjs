import {k} from "./l1.mjs"; export {k as z}
