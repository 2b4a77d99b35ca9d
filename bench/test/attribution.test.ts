import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { attribute, countConcerns, type Attribution } from '../concerns/attribution.ts';
import { concernOfFile, concerns } from '../concerns/concern.ts';
import type { Profile, ProfileNode } from '../concerns/profile.ts';

const root = '/project/';

/** A node of a profile; its children are numbered as they stand in the profile. */
function node(id: number, functionName: string, file: string, hitCount: number, children: number[] = []): ProfileNode {
  const url = file === '' || file.includes(':') ? file : `file://${root}${file}`;
  return { id, callFrame: { functionName, url }, hitCount, children };
}

const sum = (figures: Readonly<Record<string, number>>): number =>
  Object.values(figures).reduce((total, figure) => total + figure, 0);

const found = (counts: Attribution): Partial<Attribution> =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0));

describe('countConcerns', () => {
  test('finds the concern of a function by its file', () => {
    const nodes = [
      node(1, '(root)', '', 0, [2, 3, 4, 5, 6]),
      node(2, 'parserOnHeadersComplete', 'node:_http_common', 3),
      node(3, 'dispatch', 'node_modules/undici/lib/dispatcher/client.js', 5),
      node(4, 'readWindow', 'src/paging/window-reading.ts', 7),
      node(5, 'enter', 'src/upstream/stages/breaker.ts', 11),
      node(6, 'nobody', 'https://elsewhere.example.com/x.js', 13),
    ];
    expect(found(countConcerns({ nodes }, root))).toEqual({
      'http and streams of node, in JS': 3,
      undici: 5,
      'cursors and lists': 7,
      'single flight, stages, client': 11,
      other: 13,
    });
  });

  test('gives what has no file to its caller, and WebAssembly too', () => {
    const nodes = [
      node(1, '(root)', '', 0, [2, 4]),
      node(2, 'hash', 'src/paging/cursor.ts', 1, [3]),
      node(3, 'oneShotDigest', '', 2),
      node(4, 'resume', 'node_modules/undici/lib/dispatcher/client-h1.js', 4, [5]),
      node(5, 'llhttp_execute', 'wasm://wasm/00034eea', 8),
    ];
    expect(found(countConcerns({ nodes }, root))).toEqual({ 'cursors and lists': 3, undici: 12 });
  });

  test('knows system calls, the garbage collector and JSON under any caller, and leaves idle time out', () => {
    const nodes = [
      node(1, '(root)', '', 0, [2, 3, 4]),
      node(2, '(idle)', '', 100),
      node(3, '(program)', '', 1),
      node(4, 'send', 'src/http/fast-path.ts', 0, [5, 6, 7]),
      node(5, 'writeLatin1String', '', 2),
      node(6, '(garbage collector)', '', 4),
      node(7, 'parse', '', 8),
    ];
    expect(found(countConcerns({ nodes }, root))).toEqual({
      kernel: 3,
      'garbage collection and compilation': 4,
      'JSON and transcoder': 8,
    });
  });

  test('finds nothing in an empty profile', () => {
    expect(found(countConcerns({ nodes: [] } satisfies Profile, root))).toEqual({});
  });
});

describe('attribute', () => {
  const counts = (seen: Partial<Attribution>): Attribution => ({
    ...(Object.fromEntries(concerns.map((concern) => [concern, 0])) as unknown as Attribution),
    ...seen,
  });

  test('takes the kernel from its measured time, and the rest of what is outside of JavaScript for the parser', () => {
    const micros = attribute(counts({ kernel: 50, undici: 30, log: 20 }), {
      mainUser: 60,
      mainSystem: 40,
      v8: 7,
      others: 2,
    });
    expect(found(micros)).toEqual({
      kernel: 40,
      'HTTP parser, libuv and the like': 10,
      undici: 30,
      log: 20,
      'garbage collection and compilation': 7,
      other: 2,
    });
  });

  test('takes the kernel from all alike where it took more than was seen outside of JavaScript', () => {
    const micros = attribute(counts({ kernel: 20, undici: 60, log: 20 }), {
      mainUser: 60,
      mainSystem: 40,
      v8: 0,
      others: 0,
    });
    expect(found(micros)).toEqual({ kernel: 40, undici: 45, log: 15 });
  });

  test('gives the whole time to concerns, whatever the profile has seen', () => {
    const time = fc.double({ min: 0, max: 1e6, noNaN: true });
    const seen = fc.record(Object.fromEntries(concerns.map((concern) => [concern, fc.nat(1_000)])));
    fc.assert(
      fc.property(seen, fc.record({ mainUser: time, mainSystem: time, v8: time, others: time }), (profile, times) => {
        const micros = attribute(profile as unknown as Attribution, times);
        expect(sum(micros)).toBeCloseTo(sum({ ...times }), 3);
        for (const figure of Object.values(micros)) expect(figure).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

test('concernOfFile knows each file of the gateway', () => {
  const cwd = fileURLToPath(new URL('../..', import.meta.url));
  const files = globSync('src/**/*.ts', { cwd });
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((file) => concernOfFile(file) === null)).toEqual([]);
});
