export const v = await Promise.resolve('tla');
