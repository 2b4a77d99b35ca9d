import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { check } from '../../src/check-operations.ts';
import { temporaryFolder } from '../support/files.ts';
import { main, startProgram } from '../support/process.ts';

const folder = temporaryFolder();

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const bill =
  'query Bill($from: Date!, $to: Date!) { chargesSummary(startDate: $from, endDate: $to) { currency userEmail } }';
const list =
  'query List($by: IpConnectionFilter) { ipConnections(first: 20, filter: $by, orderBy: { field: ACTIVE }) { nodes { connectionName } } }';
const ofWeb = [
  { id: 'a1', name: 'Bill', type: 'query', body: bill },
  { id: 'a2', name: 'List', type: 'query', body: list },
];
const manifestOf = (operations: object) =>
  JSON.stringify({ format: 'apollo-persisted-query-manifest', version: 1, operations });
const manifest = write('web.json', manifestOf(ofWeb));
const doubled = write('doubled.json', manifestOf(ofWeb.map((each) => ({ ...each, id: 'a1' }))));
const current = readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8');

/** A schema that differs from that of this package. */
function nextSchema(name: string, from: string | RegExp, to: string): string {
  const changed = current.replace(from, to);
  expect(changed).not.toBe(current);
  return write(`${name}.graphql`, changed);
}

describe('switchboard check', () => {
  test('prints bounds, exits with 1, and names operation, client and coordinate of what would break', async () => {
    const schema = nextSchema('other', /^ {2}userEmail: String!$/m, '  email: String!');
    await using program = startProgram(main, {}, ['check', '-o', `web=${manifest}`, '-s', schema]);
    expect(await program.ending).toEqual([1, null]);
    expect(program.err).toBe('');
    expect(program.out.split('\n').slice(0, 3)).toEqual([
      'web a1 (Bill): at most 2 of 20000 calls and objects',
      expect.stringMatching(
        /^ {2}would break: ChargesSummary\.userEmail: Cannot query field "userEmail" on type "ChargesSummary"/,
      ),
      'web a2 (List): at most 81 of 20000 calls and objects',
    ]);
  });

  test.for([
    ['an argument', /last: Int/g, 'least: Int', '{ missions(last: 1) { totalCount } }', 'Query.missions(last:)'],
    [
      'an input field',
      '  fqdn: String\n',
      '  domain: String\n',
      '{ ipConnections(filter: { fqdn: "a" }) { totalCount } }',
      'IpConnectionFilter.fqdn',
    ],
    [
      'an enum value',
      '  ACTIVE\n',
      '  SWITCHED_ON\n',
      '{ ipConnections(orderBy: { field: ACTIVE }) { totalCount } }',
      'IpConnectionOrderField.ACTIVE',
    ],
    ['a type', /\bIpConnectionFilter\b/g, 'ConnectionFilter', list, 'IpConnectionFilter'],
  ] as const)('finds %s that is gone', ([name, from, to, text, coordinate]) => {
    const schema = nextSchema(name, from, to);
    const operations = [write('one.json', JSON.stringify({ one: text }))];
    const { lines, isSound } = check({ operations, schema }, {});
    expect(isSound).toBe(false);
    expect(lines.join('\n')).toContain(`  would break: ${coordinate}: `);
    expect(check({ operations, schema: null }, {}).isSound).toBe(true);
  });

  test('finds what may cost more than the limit, by the largest values of variables', () => {
    const text =
      'query Deep($first: Int) { ipConnections(first: $first) { nodes { webhookDeliveries(first: $first) { nodes { id } } } } }';
    const operations = [write('deep.json', JSON.stringify({ deep: text }))];
    expect(check({ operations, schema: null }, {})).toEqual({
      lines: [
        'deep (Deep): may cost too much, at most 311063 of 20000 calls and objects',
        '1 operations: 0 would break, 1 may cost too much',
      ],
      isSound: false,
    });
    expect(check({ operations, schema: null }, { LIMIT_COST: '400000' }).isSound).toBe(true);
  });

  test('finds a document that is none, or that a gateway of these settings does not serve', () => {
    const texts = { none: '{ missions', deep: '{ missions { nodes { id } } }', part: 'fragment Row on Mission { id }' };
    const odd = write('odd.json', JSON.stringify({ ...texts, schema: '{ __schema { __typename } }' }));
    const { lines } = check({ operations: [odd], schema: null }, { LIMIT_DEPTH: '2', INTROSPECTION: 'false' });
    expect(lines).toEqual([
      'none: bound unknown',
      '  would break: Syntax Error: Expected Name, found <EOF>.',
      'deep: bound unknown',
      expect.stringMatching(/^ {2}would break: The query is beyond the limit for depth: 3 levels, where 2 are allowed/),
      'part: bound unknown',
      '  would break: Fragment "Row" is never used.',
      'schema: at most 2000 of 20000 calls and objects',
      '  would break: Query.__schema: This gateway does not show its schema: introspection is off.',
      '4 operations: 4 would break, 0 may cost too much',
    ]);
  });

  test.for([
    [[], null, /^There are no operations to check/],
    [[doubled], null, /^operation a1 is there twice, with different texts$/],
    [['/nothing/here'], null, /^\/nothing\/here cannot be read: ENOENT$/],
    [[manifest], manifest, /^The schema cannot be read: Syntax Error/],
  ] as const)('cannot check %j by %j, and says why', ([operations, schema, message]) => {
    expect(() => check({ operations, schema }, {})).toThrow(message);
  });
});
