// The first script of the README, where people find it.
require('../../examples/phases.js');
