export enum E { A }
