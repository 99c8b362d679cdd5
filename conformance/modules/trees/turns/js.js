export const a = 1;
note('js runs');
