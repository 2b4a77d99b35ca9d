import { oddJson } from './odd-json.ts';
import type { Random } from '../../../src/sandbox/random.ts';

const tokens = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  ' ',
  '\n',
  '\t',
  '\r',
  '\u0000',
  '\u001F',
  '\u007F',
  '\u2028',
  'é',
  '😀',
  'null',
  'true',
  'false',
  '-0',
  '0',
  '01',
  '1.0',
  '1e2',
  '1E400',
  '-',
  '2147483648',
  '-2147483648',
  '12345678901',
  '\\u0041',
  '\\ud83d\\ude00',
  '\\ud83d',
  '\\ude00',
  '\\/',
  '\\b',
  '\\"',
  '\\\\',
  '\\u001f',
  '\\u00e9',
  '\\x',
  '\\u00g0',
  '"data"',
  '"meta":',
  '"id":"x",',
  '"id":null,',
  '"then":1,',
  '"__proto__":1,',
  '"7":1,',
  '{"1":2,"0":3}',
  '"type":"simple",',
  '"2026-10-01"',
  '"2026-10-01T08:30:00Z"',
  '"+1.50"',
  '".5"',
  '"5."',
  '["Cookie","hush"]',
  '["set-cookie","a\\nb"]',
  '[]',
  '{}',
  '[["A",null]]',
  '["Authorization","Bearer x"]',
  '["x-api-KEY",7]',
  '"Name: value"',
  '{"code":75001}',
  '[null]',
  '""',
].map((text) => Buffer.from(text));
const badBytes = [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xef, 0xbb, 0xbf], [0xc0, 0x80], [0xf4, 0x90, 0x80, 0x80]].map(
  (bytes) => Buffer.from(bytes),
);

/** The same JSON, written in another way; or the body itself where it is none. */
function rewritten(body: Buffer, random: Random): Buffer {
  try {
    return Buffer.from(oddJson(JSON.parse(body.toString()), random));
  } catch {
    return body;
  }
}

/** A body that was written in another way, or with something done to its bytes. */
export function damaged(body: Buffer, random: Random): Buffer {
  if (random.chance(0.7)) return rewritten(body, random);
  let result = body;
  for (let count = random.pick([1, 1, 1, 2, 5]); count > 0; count--) result = mutated(result, random);
  return result;
}

/** A body with one thing done to its bytes. */
export function mutated(body: Buffer, random: Random): Buffer {
  if (body.length === 0) return body;
  const at = placeIn(body, random);
  const end = Math.min(body.length, at + random.pick([0, 1, 1, 2, 7, 30]));
  switch (random.int(0, 7)) {
    case 6:
    case 7:
      return withAnotherValue(body, at, random);
    case 0:
      return spliced(body, at, end, Buffer.alloc(0));
    case 1:
      return spliced(body, at, at, body.subarray(at, end));
    case 2:
      return spliced(body, at, at + 1, Buffer.from([random.int(0, 255)]));
    case 3:
      return spliced(body, at, at + random.int(0, 1), random.pick(badBytes));
    default:
      return spliced(body, at, random.chance(0.5) ? at : end, random.pick(tokens));
  }
}

/** A body with another value behind the next colon. Most of them are still JSON. */
function withAnotherValue(body: Buffer, at: number, random: Random): Buffer {
  const colon = body.indexOf(':', at);
  if (colon < 0) return body;
  const rest = body.subarray(colon + 1);
  const end = /^\s*(?:"(?:[^"\\]|\\.)*"|[-\w.+]+)/.exec(rest.toString('latin1'))?.[0].length ?? 0;
  return spliced(body, colon + 1, colon + 1 + end, random.pick(tokens));
}

/** Anywhere; more often beside what structures JSON. */
function placeIn(body: Buffer, random: Random): number {
  const at = random.int(0, body.length - 1);
  if (random.chance(0.4)) return at;
  const next = body.indexOf(random.pick(['"', ',', ':', '}', ']', '{', '[', '\\']), at);
  return next < 0 ? at : next + random.int(0, 1);
}

function spliced(body: Buffer, from: number, to: number, between: Buffer): Buffer {
  return Buffer.concat([body.subarray(0, from), between, body.subarray(to)]);
}
