export class P { constructor(public x: number) {} }
