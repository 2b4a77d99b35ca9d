import { getLocation, parse, visit, type ASTNode } from 'graphql';
import { locationsPerError } from '../../../src/http/response/error-response.ts';
import { placeOf, readDocument, nameLength } from '../../../src/limits/document-reader.ts';
import { describe, expect, testOfFile as test } from '../../support/gateway.ts';

const tokens = 3_000;

function nodesOf(document: ASTNode): readonly ASTNode[] {
  const nodes: ASTNode[] = [];
  visit(document, { enter: (node) => void nodes.push(node) });
  return nodes;
}

const texts = [
  '{ a b: c(d: "e", f: [1, 2.5]) { g ...H } } fragment H on I @j { k }',
  '\n\n  {\r\n\ta\r\r\n  ,,, b # a comment\n# another\n  c }\n',
  'query ($a: B = "x") {\n  a(b: """\n    a block\r\n    of lines\n  """) {\n    c\n  }\n}',
  '\uFEFF{ a(b: "é 😀", c: """\n😀\n""") d }',
];

describe('a document that was read', () => {
  test.for(texts)('knows the places of its nodes without its text: %j', (text) => {
    const known = nodesOf(parse(text)).map(({ loc }) => loc && getLocation(loc.source, loc.start));
    const document = readDocument(text, { limitTokens: tokens });
    expect(document.loc?.source.body).toBe('');
    expect(document.loc?.startToken.next).toBeNull();
    const places = nodesOf(document).map(placeOf);
    // Before the first token stands what has no place.
    expect(places.slice(1)).toEqual(known.slice(1));
    expect(places[0]).toEqual({ line: 1, column: 1 });
  });

  test.for([
    ['lines', '\n'.repeat(3_000), 3_001],
    ['lines', '#\r'.repeat(3_000), 3_001],
    ['characters of a name', 'a'.repeat(nameLength + 1), nameLength + 1],
    ['characters of a name', 'a(b: 1.' + '0'.repeat(nameLength) + ')', nameLength + 2],
    ['tokens', 'a '.repeat(3_000), 3_001],
  ] as const)('has bounded %s', ([what, text, actual]) => {
    const message = expect.stringContaining(what);
    const details = { message, excess: { limit: expect.any(Number), actual } };
    const fault = { code: 'QUERY_TOO_COMPLEX', details };
    expect(() => readDocument(`{ a ${text} }`, { limitTokens: tokens })).toThrow(expect.objectContaining(fault));
  });

  test('may have as many lines as tokens, at least a thousand, and any length', () => {
    const longComment = `#${'x'.repeat(1_000_000)}\n`;
    for (const text of ['\n'.repeat(2_999), '#\r\n'.repeat(2_999), longComment, 'a'.repeat(nameLength)])
      expect(readDocument(`{ a ${text} }`, { limitTokens: tokens }).definitions).toHaveLength(1);
    expect(readDocument(`{ a ${'\n'.repeat(999)} }`, { limitTokens: 10 }).definitions).toHaveLength(1);
  });
});

test('an error has the location of its field', async ({ gateway, upstream }) => {
  upstream.script(() => ({ status: 500, text: '' }));
  const document = `# first\r\nquery {\n  __typename\n\n  a: missions {\n    totalCount\n  }\n}`;
  const failed = await gateway.query(document);
  expect(failed.errors).toMatchObject([{ path: ['a'], locations: [{ line: 5, column: 3 }] }]);
  for (const [text, ...places] of [
    ['{\n  missions {\n    a\n    nodes {\r\n b } } }', { line: 3, column: 5 }, { line: 5, column: 2 }],
    ['{\n  missions {\n    ! } }', { line: 3, column: 5 }],
  ] as const) {
    const { errors } = await gateway.query(text);
    expect(errors.map(({ locations }) => locations)).toEqual(places.map((place) => [place]));
  }
});

test('an error of a field that is selected very often has few locations', async ({ gateway, upstream }) => {
  upstream.script(() => ({ status: 500, text: '' }));
  const { errors } = await gateway.query(`{ ${'missions { totalCount } '.repeat(40)} }`);
  expect(errors.map(({ locations }) => locations.length)).toEqual([locationsPerError]);
});
