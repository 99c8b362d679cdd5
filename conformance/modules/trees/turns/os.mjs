import 'os';
note('os runs');
