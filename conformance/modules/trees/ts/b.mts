export type B = string; export const b: number = 1;
