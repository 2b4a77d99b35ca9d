// What a shape begins with, by the names that the tables are written by.
export const text: u32 = 0;
export const form: u32 = 1;
export const integer: u32 = 2;
export const boolean: u32 = 3;
export const freeForm: u32 = 4;
export const record: u32 = 5;
export const list: u32 = 6;
export const rows: u32 = 7;
export const union: u32 = 8;
export const pair: u32 = 9;
export const bare: u32 = 10;
export const open: u32 = 11;
export const kept: u32 = 12;
