import './live.mjs'; import './missing.mjs';
