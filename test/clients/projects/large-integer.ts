import { parse } from 'lossless-json';

const isLarge = (digits: string): boolean => /^-?\d+$/.test(digits) && !Number.isSafeInteger(Number(digits));

export const parseInAnyEngine = (text: string): unknown =>
  parse(text, null, (digits) => (isLarge(digits) ? BigInt(digits) : Number(digits)));
