// Types are blanked out; lines and columns stay.
import { out } from './trees/ts/a.ts';
import type { Nothing } from './nope';
type Box<T> = { [K in keyof T]: T[K] };
const value: Box<{ a: number }> = { a: 1 } as const;
declare const elsewhere: string;
namespace OnlyTypes { export type T = number }
abstract class Shape { abstract area(): number; protected readonly name: string = 'shape'; toString(): string { return this.name; } }
class Square extends Shape implements Shape { #side: number; constructor(side: number) { super(); this.#side = side; } override area(): number { return this.#side ** 2; } }
function over(a: string): string;
function over(a: number): number;
function over(a: any) { return a; }
let late!: number;
late = 3;
const arrow = async <T,>(x: T, ...rest: T[]): Promise<T> => x!;
console.log(out, value, `${new Square(2)}`, new Square(3).area(), over(1), late, await arrow<number>(7, 8));
console.log([1, 2].map((x): x is 1 => x === 1), typeof elsewhere, import.meta.filename.endsWith('typescript.ts'));
