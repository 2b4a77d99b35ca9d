import fc from 'fast-check';

const texts = [
  '{ __typename }',
  'query Missions($first: Int) {\n  missions(first: $first) { totalCount }\n}',
  'query Missions($first: Int) {\n  missions(first: $first) { totalCount nodes { name } }\n} # é',
].map((text) => JSON.stringify(text));

const json = fc.json({ maxDepth: 3, stringUnit: 'binary' });
const oddValue = fc.constantFrom(
  '{}',
  'null',
  '{"first":1}',
  '{"variables":{"a":1},"query":"x"}',
  '"}"',
  '-0',
  '1e400',
);
const value = fc.oneof(json, oddValue);
const blank = fc.constantFrom('', '', '', ' ', '\n\t');

/** A name as it may be spelled: with an escape, here and there. */
const nameOf = (name: string) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant(name) },
    { weight: 1, arbitrary: fc.constant(name.replace('a', '\\u0061')) },
  );

const member = (names: readonly string[], values: fc.Arbitrary<string>) =>
  fc
    .tuple(fc.constantFrom(...names).chain(nameOf), blank, blank, values, blank)
    .map(([name, ...[before, after, text, end]]) => `"${name}"${before}:${after}${text}${end}`);

const query = member(['query'], fc.constantFrom(...texts));
const variables = member(['variables'], value);
const operationName = member(['operationName'], fc.constantFrom('null', '"Missions"', '"MissionsOfTheCallerWhoAsks"'));
const other = member(['extensions', '__proto__', 'query', 'variables', 'documentId', 'a'], value);

const members = fc
  .tuple(query, fc.option(variables, { freq: 8 }), fc.option(operationName), fc.option(other), fc.nat(5))
  .map(([first, second, third, more, order]) => {
    const all = [first, second, third, more].filter((text) => text !== null);
    const turn = order < all.length ? order : 0;
    return [...all.slice(turn), ...all.slice(0, turn)];
  });

/** Bodies of JSON as clients send them, some with odd members, blanks, or a byte order mark. */
export const anyBody: fc.Arbitrary<Buffer> = fc
  .tuple(fc.constantFrom('', '', '', '', '\uFEFF', ' '), blank, members, blank)
  .map(([start, open, all, end]) => Buffer.from(`${start}{${open}${all.join()}}${end}`));

const insert = fc.oneof(
  value,
  fc.tuple(value, fc.oneof(query, variables, operationName)).map((parts) => parts.join()),
  fc.constantFrom('', ' ', '}', '"', '\\', ',"variables":{"a":2}', '{}},', '{},"query":"{a}"', '\uFEFF'),
);

const join = (...parts: readonly (Buffer | string)[]): Buffer => Buffer.concat(parts.map((part) => Buffer.from(part)));

/** Where the value of `variables` seems to be, of the first or the last member of the name; the end where there is none. */
function holeIn(body: Buffer, isLast: boolean): readonly [start: number, end: number] {
  const name = '"variables":';
  const found = isLast ? body.lastIndexOf(name) : body.indexOf(name);
  if (found < 0) return [body.length, body.length];
  const start = found + name.length;
  const rest = body.toString('latin1', start);
  // The nearest end that leaves a value; a wrong one makes a body of another kind.
  for (let end = 1; end <= rest.length; end++) {
    if (!/[,}\s]/.test(rest[end] ?? '')) continue;
    try {
      JSON.parse(rest.slice(0, end));
      return [start, start + end];
    } catch {
      continue;
    }
  }
  return [start, body.length - 1];
}

/** Bodies that have much in common with one of these, or are made of two of them. */
export function likeOneOf(bodies: readonly Buffer[]): fc.Arbitrary<Buffer> {
  const one = fc.constantFrom(...bodies);
  const place = fc.double({ min: 0, max: 1, noNaN: true });
  const at = (body: Buffer, part: number): number => Math.round(part * body.length);
  const filled = fc.tuple(one, insert, fc.boolean()).map(([body, text, isLast]) => {
    const [start, end] = holeIn(body, isLast);
    return join(body.subarray(0, start), text, body.subarray(end));
  });
  const changed = fc.tuple(fc.oneof(one, filled), place, fc.integer({ min: 0, max: 255 })).map(([body, part, byte]) => {
    const copy = Buffer.from(body);
    copy[Math.min(at(body, part), body.length - 1)] = byte;
    return copy;
  });
  const filledWithBytes = fc.tuple(one, fc.uint8Array({ maxLength: 4 })).map(([body, bytes]) => {
    const [start, end] = holeIn(body, false);
    return join(body.subarray(0, start), '"', Buffer.from(bytes), '"', body.subarray(end));
  });
  const cut = fc.tuple(one, place, place).map(([body, from, to]) => {
    return join(body.subarray(0, at(body, from)), body.subarray(at(body, to)));
  });
  const spliced = fc.tuple(one, one).map(([first, second]) => {
    return join(first.subarray(0, holeIn(first, false)[0]), second.subarray(holeIn(second, true)[0]));
  });
  const inserted = fc.tuple(one, place, insert).map(([body, part, text]) => {
    return join(body.subarray(0, at(body, part)), text, body.subarray(at(body, part)));
  });
  const twice = fc.tuple(one, one).map(([first, second]) => join(first, second));
  const kinds = [changed, filledWithBytes, cut, spliced, inserted, twice, anyBody];
  return fc.oneof({ weight: 6, arbitrary: filled }, ...kinds);
}
