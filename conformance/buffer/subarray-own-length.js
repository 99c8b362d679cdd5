// `subarray()` and `slice()` read `length`, `buffer` and `byteOffset` of the buffer, also if they are own properties or those of a subclass.
const buffer = Buffer.from('abcdef');
Object.defineProperty(buffer, 'length', { value: 3 });
console.log(buffer.subarray(1).toString('latin1'), buffer.slice(-1).toString('latin1'));

const moved = Buffer.from(new ArrayBuffer(8), 2, 4);
Object.defineProperty(moved, 'byteOffset', { value: 1 });
console.log(moved.subarray(1).byteOffset);

const other = Buffer.from(new ArrayBuffer(8));
Object.defineProperty(other, 'buffer', { value: new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]).buffer });
console.log(other.subarray(6));

class Short extends Uint8Array {
  get length() { return 2; }
}
const short = new Short([1, 2, 3, 4]);
console.log(Buffer.prototype.subarray.call(short, 1), Buffer.prototype.subarray.call(short, -1));

const named = Buffer.from('abcdef');
named.title = 'a property that changes nothing';
console.log(named.subarray(4).toString('latin1'), named.subarray(4).title);
