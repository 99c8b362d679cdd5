note('a runs');
