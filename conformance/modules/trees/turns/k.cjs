note('k runs');
