note('a2 runs');
