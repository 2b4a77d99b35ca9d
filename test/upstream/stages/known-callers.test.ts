import { describe, expect, test } from 'vitest';
import { createKnownCallers, unknownShare } from '../../../src/upstream/stages/known-callers.ts';

describe('a caller among the known callers', () => {
  test.for([200, 204])('is known after a response %d', (status) => {
    const known = createKnownCallers();
    known.learn('other', 200);
    expect(known.has('a')).toBe(false);
    known.learn('a', status);
    expect(known.has('a')).toBe(true);
    expect(known.has('b')).toBe(false);
  });

  test.for([302, 400, 401, 403, 404, 422, 429, 500, 502, 503])('does not become known by a response %d', (status) => {
    const known = createKnownCallers();
    known.learn('other', 200);
    known.learn('a', status);
    expect(known.has('a')).toBe(false);
  });

  test('is forgotten after a 401, and after no other status', () => {
    const known = createKnownCallers();
    known.learn('a', 200);
    known.learn('other', 200);
    for (const status of [302, 403, 429, 500, 503]) known.learn('a', status);
    expect(known.has('a')).toBe(true);
    known.learn('b', 401);
    expect(known.has('a')).toBe(true);
    known.learn('a', 401);
    expect(known.has('a')).toBe(false);
  });

  test('is forgotten where there are too many, the one with the oldest response first', () => {
    const known = createKnownCallers(3);
    for (const identity of ['a', 'b', 'c', 'a', 'd']) known.learn(identity, 200);
    expect(['a', 'b', 'c', 'd'].filter((identity) => known.has(identity))).toEqual(['a', 'c', 'd']);
    // Keys that are made up take nobody's place.
    for (let n = 0; n < 100; n++) known.learn(`made up ${n}`, 401);
    expect(['a', 'c', 'd'].every((identity) => known.has(identity))).toBe(true);
  });

  test('is unknown from the first moment on, before the API has accepted any key', () => {
    const known = createKnownCallers();
    expect(known.has('a')).toBe(false);
    known.learn('a', 200);
    known.learn('a', 401);
    expect(known.has('a')).toBe(false);
  });

  test('is seen by the version when it becomes known, is refused or forgotten, and not otherwise', () => {
    const known = createKnownCallers(2);
    const versions = [200, 200, 503, 401, 401].map((status) => {
      known.learn('a', status);
      return known.version;
    });
    expect(versions).toEqual([1, 1, 1, 2, 2]);
  });
});

test('the share of strangers is a quarter, and one at least', () => {
  expect([1, 2, 4, 7, 8, 128, 1_000].map(unknownShare)).toEqual([1, 1, 1, 1, 2, 32, 250]);
});
