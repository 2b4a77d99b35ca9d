import { createRequire } from 'node:module';
import type { Random } from '../types.ts';
import { createRandom } from './chance.ts';

let random: Random = createRandom('start');

/** Begins the randomness of the process anew. */
export function beginEntropy(text: string): void {
  random = createRandom(text);
}

function fill<Bytes extends NodeJS.ArrayBufferView>(bytes: Bytes): Bytes {
  const view = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < view.length; at++) view[at] = random.below(256);
  return bytes;
}

function randomBytes(length: number): Buffer {
  return fill(Buffer.alloc(length));
}

function randomUUID(): string {
  const bytes = randomBytes(16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Puts the world's randomness in the place of the process's own. */
export function takeEntropy(): void {
  const require = createRequire(import.meta.url);
  Math.random = () => random.next();
  const functions = { randomBytes, randomUUID, randomFillSync: fill };
  Object.assign(require('node:crypto'), functions);
  for (const [name, value] of Object.entries({ randomUUID, getRandomValues: fill }))
    Object.defineProperty(globalThis.crypto, name, { value, configurable: true });
}
