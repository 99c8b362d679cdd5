import './syntax.mjs';
