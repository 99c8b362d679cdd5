let x = = 1;
