import 'node:nothing';
note('unknown runs');
