import { readdirSync, readFileSync } from 'node:fs';
import { getOperationAST, Kind, parse, visit, type DocumentNode, type OperationDefinitionNode } from 'graphql';
import { afterEach } from 'vitest';
import type { Context } from '../../src/graphql/context.ts';
import { createPlans } from '../../src/graphql/execution/plan/plan.ts';
import { createSchema } from '../../src/resources/schema.ts';
import { expect, testOfFile as test, type Gateway } from '../support/gateway.ts';
import { ipConnectionRecord, selectionOf } from '../support/records.ts';
import { pageReply } from '../support/scripted-upstream.ts';
import { waysOf } from './every-path.ts';

// Each of them, run as code or out of its quotes, leaves a mark.
const mark = 'globalThis.hostileCodeRan = true';
const hostile: readonly string[] = [
  '',
  `"; ${mark}; "`,
  `'; ${mark}; '`,
  `\`; ${mark}; \``,
  `\${${mark}}`,
  `a: 1, b: (${mark})`,
  `a\\", x: (${mark}), "`,
  '\\',
  `a\n${mark}`,
  `a\u2028${mark}`,
  `a */ ${mark} /*`,
  `](${mark})[`,
  `}${mark};{`,
  '\\u0061',
  '__proto__',
];

afterEach(() => void Reflect.deleteProperty(globalThis, 'hostileCodeRan'));

const schema = createSchema();
const plain = parse(
  `query victim($victim: Boolean!, $n: Int) { victim: missions(first: $n) { ...victim ...victim @skip(if: $victim) } }
  fragment victim on MissionConnection { victim: totalCount nodes { victim: name } pageInfo { victim: __typename } }`,
  { noLocation: true },
);

/** The document with another text for each name of one kind of node, or of all; no text could be parsed to it. */
function withNames(text: string, kind: Kind | null): DocumentNode {
  const owners: string[] = [];
  return visit(plain, {
    enter(node) {
      const owner = owners.at(-1) ?? '';
      owners.push(node.kind);
      return node.kind !== Kind.NAME || (kind ?? owner) !== owner ? undefined : { ...node, value: text };
    },
    leave() {
      owners.pop();
    },
  });
}

test.for(hostile)('a name %j that no parser accepts never becomes code', (name) => {
  const { FIELD, FRAGMENT_SPREAD, FRAGMENT_DEFINITION, NAMED_TYPE, VARIABLE, ARGUMENT } = Kind;
  for (const kind of [FIELD, FRAGMENT_SPREAD, FRAGMENT_DEFINITION, NAMED_TYPE, VARIABLE, ARGUMENT, null]) {
    const document = withNames(name, kind);
    const plan = createPlans(schema, false)(document, getOperationAST(document) as OperationDefinitionNode);
    for (const value of [true, false]) {
      // What it makes of a document that is not valid does not matter.
      try {
        void plan?.execute({} as Context, { victim: value, [name]: value });
      } catch {}
      expect(Reflect.get(globalThis, 'hostileCodeRan')).toBeUndefined();
    }
  }
});

/** The ways in which a gateway has answered so far. */
async function waysTaken(gateway: Gateway): Promise<readonly string[]> {
  return Object.entries(await waysOf(gateway)).flatMap(([way, times]) => (times > 0 ? [way] : []));
}

test('an operation whose code would be huge has no plan', async ({ startWith, upstream }) => {
  const gateway = await startWith({ LIMIT_COST: '1000000' });
  // The one secret is for plans.
  const selection = selectionOf(ipConnectionRecord()).replace('ipAuthenticationToken', '');
  const fields = Array.from({ length: 40 }, (_, index) => `a${index}: ipConnections { nodes { ...F } }`).join(' ');
  const query = `{ ${fields} } fragment F on IpConnection ${selection}`;
  for (const [tags, ways, errorCount] of [
    [['a'], ['bytes'], 0],
    // Of one field's values so many are reported.
    [7, ['bytes', 'general'], 20],
  ] as const) {
    upstream.requests.length = 0;
    upstream.script((request) => pageReply([ipConnectionRecord({ id: 'c', tags })], request));
    const { data, errors } = await gateway.query(query);
    expect([data.a39.nodes[0].id, errors.length]).toEqual(['c', errorCount]);
    expect(await waysTaken(gateway)).toEqual(ways);
    expect(upstream.requests).toHaveLength(1);
  }
});

test('the SDL is Latin-1, so that V8 keeps field names and responses at one byte a character', () => {
  const folder = new URL('../../schema/', import.meta.url);
  const wide = readdirSync(folder).filter((name) => /[^\0-\u{FF}]/u.test(readFileSync(new URL(name, folder), 'utf8')));
  expect(wide).toEqual([]);
});
