import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { smallBody, spellingCacheBytes, spellingsAlike } from '../../../src/bounds.ts';
import { isJsonObject } from '../../../src/json.ts';
import { spellingOf } from '../../../src/http/request/body-spelling.ts';
import { BodySpellings } from '../../../src/http/request/body-spellings.ts';
import { parseBody } from '../../../src/http/request/request-body.ts';
import { anyBody, likeOneOf } from './body-arbitrary.ts';

/** More bodies than one is learned of. */
const often = 20;
const query = 'query Missions($first: Int) { missions(first: $first) { totalCount } }';
const bodyOf = (members: unknown): Buffer => Buffer.from(JSON.stringify(members));

function teach(spellings: BodySpellings, body: Buffer): void {
  for (let time = 0; time < often && spellings.parse(body) === undefined; time++)
    spellings.learn(body, parseBody(body));
}

/** Whether two values are the same, with their prototypes and the order of their members. */
const isSame = (one: unknown, other: unknown): boolean =>
  isDeepStrictEqual(one, other) && JSON.stringify(one) === JSON.stringify(other);

test('a body of a known spelling is what JSON.parse makes of it, whatever it holds', () => {
  let tries = 0;
  let matches = 0;
  const known = fc.array(anyBody, { minLength: 1, maxLength: 6 });
  const taughtAndTried = known.chain((taught) =>
    fc.tuple(fc.constant(taught), fc.array(likeOneOf(taught), { minLength: 10, maxLength: 30 })),
  );
  fc.assert(
    fc.property(taughtAndTried, ([taught, tried]) => {
      const spellings = new BodySpellings();
      for (const body of taught) teach(spellings, body);
      for (const body of tried) {
        const parameters = spellings.parse(body);
        tries++;
        if (parameters === undefined) continue;
        matches++;
        const whole = parseBody(body);
        if (!isSame(parameters, whole)) expect([body.toString('latin1'), parameters]).toEqual([null, whole]);
      }
    }),
    { numRuns: Number(process.env['SPELLINGS'] ?? 2_000) },
  );
  // A figure to look at.
  console.log(`${matches} of ${tries} bodies had a known spelling.`);
  expect(matches).toBeGreaterThan(tries / 20);
});

const variables = { first: 2, after: '\\"},"query":[{' };
const extensions = { clientLibrary: { name: '@apollo/client', version: '4.3.8' } };
const clients: Readonly<Record<string, (given: unknown) => object>> = {
  'graphql-request': (given) => ({ query, variables: given, operationName: 'Missions' }),
  urql: (given) => ({ operationName: 'Missions', query, variables: given }),
  Apollo: (given) => ({ operationName: 'Missions', variables: given, extensions, query }),
  'a trusted document': (given) => ({ documentId: 'sha256:0123456789abcdef', variables: given }),
};
const values = [variables, {}, null, [], [{}], 0, -0.5, '"', 'é', '\uFFFD', '😀', { __proto__: null, a: { b: [1] } }];

test.for(Object.entries(clients))('a spelling serves all variables: %s', ([, members]) => {
  const spellings = new BodySpellings();
  expect(spellings.parse(bodyOf(members(variables)))).toBeUndefined();
  teach(spellings, bodyOf(members(variables)));
  for (const value of values) {
    const body = bodyOf(members(value));
    expect(spellings.parse(body)).toEqual(parseBody(body));
  }
});

test('clients with the same operation, or one that begins alike, have a spelling each', () => {
  const spellings = new BodySpellings();
  const bodies = [{}, { operationName: 'Missions' }, { extensions }, { operationName: null, extensions }]
    .flatMap((more) => [
      { query, variables, ...more },
      { query: `${query} # more`, variables, ...more },
    ])
    .map(bodyOf);
  expect(bodies).toHaveLength(spellingsAlike);
  for (const body of bodies) teach(spellings, body);
  // The second time, the spelling itself was used last.
  for (const body of bodies.flatMap((one) => [one, one])) expect(spellings.parse(body)).toEqual(parseBody(body));
});

const text = JSON.stringify(query);
const filler = '"operationName":"Missions"';
const odd: Readonly<Record<string, string>> = {
  'variables twice': `{"query":${text},"variables":{},"variables":{"first":1}}`,
  'variables twice, once escaped': `{"query":${text},"variables":{},"vari\\u0061bles":{"first":1}}`,
  'a query twice': `{"query":"{__typename}","query":${text},"variables":{}}`,
  'an escaped name': `{"query":${text},"vari\\u0061bles":{}}`,
  'a byte order mark': `\uFEFF{"query":${text},"variables":{}}`,
  'variables in front': `{"variables":{},${filler},"query":${text}}`,
  'no object': `[{"query":${text},"variables":{}}]`,
  'no JSON': `{"query":${text},"variables":{}`,
  'a large query': `{"query":${JSON.stringify(query + ' '.repeat(smallBody))},"variables":{}}`,
  'large extensions': `{"query":${text},"variables":{},"extensions":{"a":[${Array(3_000).fill('{}').join()}]}}`,
};
test.for(Object.entries(odd))('no spelling is learned of a body with %s', ([, body]) => {
  const spellings = new BodySpellings();
  teach(spellings, Buffer.from(body));
  expect([spellings.parse(Buffer.from(body)), spellings.weight]).toEqual([undefined, 0]);
});

const before = `{"query":${text},"variables":`;
const after = `,${filler}}`;
const hostile: Readonly<Record<string, string>> = {
  'no value': '',
  'a blank': ' ',
  'half a value': '{"first":',
  'a value and a bracket': '{}}',
  'a second query': '{},"query":"{__typename}"',
  'second variables': '{},"variables":{"first":7}',
  'a second name': '{},"operationName":"Other"',
  'a byte order mark': '\uFEFF{}',
  'an open text': '"',
};
test.for(Object.entries(hostile))('a hole with %s is left to JSON.parse', ([, value]) => {
  const spellings = new BodySpellings();
  teach(spellings, Buffer.from(`${before}{}${after}`));
  expect(spellings.parse(Buffer.from(`${before} {}\n${after}`))).toEqual({
    query,
    variables: {},
    operationName: 'Missions',
  });
  expect(spellings.parse(Buffer.from(before + value + after))).toBeUndefined();
});

test('a body whose parts overlap, or that is no UTF-8, is left to JSON.parse', () => {
  const spellings = new BodySpellings();
  const list = `{"query":${text},"extensions":{"a":0},"variables":`;
  teach(spellings, Buffer.from(`${list}{}${after}`));
  for (let end = 1; end < list.length + after.length; end++)
    expect(spellings.parse(Buffer.from(list + after).subarray(0, end))).toBeUndefined();
  expect(spellings.parse(Buffer.from(`${list}{"first":"\xE9"}${after}`, 'latin1'))).toBeUndefined();
  expect(spellings.parse(Buffer.from(`${list}{"first":"\xE9"}${after}`))).toBeDefined();
});

describe('what is kept', () => {
  test('has no variables in it', () => {
    const spelling = spellingOf(bodyOf({ query, variables: { first: 'a secret' }, extensions }), {
      query,
      variables: { first: 'a secret' },
      extensions,
    });
    expect(spelling?.parameters).toEqual({ query, variables: null, extensions });
    expect(Buffer.from(spelling?.bytes ?? []).toString()).toBe(
      JSON.stringify({ query, variables: null, extensions }).replace('null', ''),
    );
  });

  test('takes no more memory than it may, however many spellings come, and what is used stays', () => {
    const spellings = new BodySpellings();
    const used = bodyOf({ operationName: 'Missions', query, variables });
    teach(spellings, used);
    for (let number = 0; number < 60_000; number++) {
      const stranger = bodyOf({ operationName: `Q${number}`, query, variables, extensions: { number } });
      spellings.learn(stranger, parseBody(stranger));
      if (number % 1_000 === 0) expect(isJsonObject(spellings.parse(used))).toBe(true);
      expect(spellings.weight).toBeLessThanOrEqual(spellingCacheBytes);
    }
    expect(spellings.weight).toBeGreaterThan(spellingCacheBytes / 2);
  });

  test('takes no more memory where all spellings begin alike', () => {
    const spellings = new BodySpellings();
    for (let number = 0; number < 2_000; number++) {
      const stranger = bodyOf({ query: `${query} # ${number}`, variables });
      spellings.learn(stranger, parseBody(stranger));
    }
    const { weight = 0 } = spellingOf(bodyOf({ query, variables }), { query, variables }) ?? {};
    expect(spellings.weight).toBeLessThan((spellingsAlike + 1) * weight);
  });
});
