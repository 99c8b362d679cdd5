import "./s1.mjs"; import {q} from "./c.mjs"
