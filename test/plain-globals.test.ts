import { afterEach, expect, test } from 'vitest';
import { makeGlobalsPlain } from '../src/plain-globals.ts';

const names = ['performance', 'Buffer'] as const;
const before = names.map((name) => Object.getOwnPropertyDescriptor(globalThis, name));
afterEach(() => names.forEach((name, index) => Object.defineProperty(globalThis, name, before[index] ?? {})));

test('the globals of hot paths become plain values, the same as before, that tests may still replace', () => {
  const values = names.map((name) => globalThis[name]);
  makeGlobalsPlain();
  names.forEach((name, index) => {
    const { value, writable, configurable } = Object.getOwnPropertyDescriptor(globalThis, name) ?? {};
    expect([value === values[index], writable, configurable]).toEqual([true, true, true]);
  });
});
