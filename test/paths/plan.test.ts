import { readdirSync, readFileSync } from 'node:fs';
import { Kind, parse, visit, type DocumentNode } from 'graphql';
import { afterEach, describe } from 'vitest';
import type { MissionResolvers, QueryResolvers } from '../../src/generated/schema.ts';
import type { Context } from '../../src/graphql/context.ts';
import { Code, quote } from '../../src/graphql/execution/plan/code.ts';
import { createPlans, createProgramCache, programCacheBytes } from '../../src/graphql/execution/plan/plan.ts';
import { Run, type ResolvedField } from '../../src/graphql/execution/plan/run.ts';
import { readTypeDefs } from '../../src/graphql/schema/type-defs.ts';
import { createSchema } from '../../src/resources/schema.ts';
import { expect, testOfFile as test, type Gateway } from '../support/gateway.ts';
import { ipConnectionRecord } from '../support/records.ts';
import { pageReply } from '../support/scripted-upstream.ts';
import { selectionOf } from '../support/selection.ts';
import { waysOf } from './every-path.ts';

// Each of them, run as code or out of its quotes, leaves a mark.
const mark = 'globalThis.hostileCodeRan = true';
const hostile: readonly string[] = [
  '',
  ' ',
  `"; ${mark}; "`,
  `'; ${mark}; '`,
  `\`; ${mark}; \``,
  `\${${mark}}`,
  `a: 1, b: (${mark})`,
  `a\\", x: (${mark}), "`,
  `\\`,
  `\\u0022; ${mark}; //`,
  `a\n${mark}`,
  `a\r${mark}//`,
  `a\u2028${mark}`,
  `a\u2029${mark}//`,
  `a */ ${mark} /*`,
  `a // `,
  `<!-- ${mark}`,
  `--> ${mark}`,
  `](${mark})[`,
  `}${mark};{`,
  `1; ${mark}`,
  '1a',
  'a-b',
  'a.b',
  'a b',
  '$a',
  '#a',
  'é',
  'ａ',
  'a\u200D',
  'a\u0000',
  '\uFEFFa',
  '\uD800',
  '\\u0061',
  '\\x61',
  '__proto__',
];

const ran = (): unknown => Reflect.get(globalThis, 'hostileCodeRan');

afterEach(() => {
  Reflect.deleteProperty(globalThis, 'hostileCodeRan');
});

describe('the text of code', () => {
  test.for(hostile)('holds no name such as %j', (name) => {
    expect(() => quote(name)).toThrow(RangeError);
  });

  test.for(hostile)('refers to a value such as %j, and does not hold it', (value) => {
    const code = new Code();
    const name = code.constant(value);
    expect(name).toMatch(/^k\d+$/);
    expect(code.constant(value)).toBe(name);
    const [give] = code.link<() => unknown>([code.define('', `return ${name};`)]);
    expect(give?.()).toBe(value);
    expect(ran()).toBeUndefined();
  });
});

const schema = createSchema(readTypeDefs());
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
  const kinds = [
    Kind.FIELD,
    Kind.FRAGMENT_SPREAD,
    Kind.FRAGMENT_DEFINITION,
    Kind.NAMED_TYPE,
    Kind.VARIABLE,
    Kind.ARGUMENT,
  ];
  for (const kind of [...kinds, Kind.OPERATION_DEFINITION, Kind.DIRECTIVE, null]) {
    const plan = createPlans(schema, withNames(name, kind), createProgramCache())(undefined);
    for (const value of [true, false]) {
      // What it makes of a document that is not valid does not matter.
      try {
        void plan?.execute({} as Context, { victim: value, [name]: value });
      } catch {}
      expect(ran()).toBeUndefined();
    }
  }
});

// Three of them do not fit.
const third = Math.ceil(programCacheBytes / 3);

describe('the cache of programs', () => {
  test('keeps the programs that were used last, of all plans, within its bound', () => {
    const remember = createProgramCache();
    const made: string[] = [];
    const plan = (name: string) =>
      remember((values) => {
        made.push(`${name} ${String(values)}`);
        return { weight: third };
      });
    const [one, other] = [plan('one'), plan('other')];
    one([true]);
    other([false]);
    one([true]);
    other([true]);
    expect(made).toEqual(['one true', 'other false', 'other true']);
    one([true]);
    other([true]);
    expect(made).toHaveLength(3);
    other([false]);
    expect(made).toHaveLength(4);
  });

  test('remembers operations without a program, within its bound', () => {
    const remember = createProgramCache();
    let made = 0;
    const count = (): null => {
      made++;
      return null;
    };
    const first = remember(count);
    first([]);
    first([]);
    expect(made).toBe(1);
    const others = Array.from({ length: programCacheBytes / 500 }, () => remember(count));
    for (const other of others) other([]);
    expect(made).toBe(1 + others.length);
    first([]);
    others.at(-1)?.([]);
    expect(made).toBe(2 + others.length);
  });
});

/** The ways in which a gateway has answered so far. */
async function waysTaken(gateway: Gateway): Promise<readonly string[]> {
  return Object.entries(await waysOf(gateway)).flatMap(([way, times]) => (times > 0 ? [way] : []));
}

test('an operation whose code would be huge is written from bytes, and takes the general path where they give up', async ({
  startWith,
  upstream,
}) => {
  const gateway = await startWith({ LIMIT_COST: '1000000' });
  // The one secret is for plans.
  const selection = selectionOf(ipConnectionRecord()).replace('ipAuthenticationToken', '');
  const fragment = `fragment F on IpConnection ${selection}`;
  const fields = Array.from({ length: 40 }, (_, index) => `a${index}: ipConnections { nodes { ...F } }`).join(' ');
  upstream.script((request) => pageReply([ipConnectionRecord({ id: 'c' })], request, 250));
  expect((await gateway.query(`{ ${fields} } ${fragment}`)).data.a39.nodes[0].id).toBe('c');
  expect(await waysTaken(gateway)).toEqual(['bytes']);
  upstream.requests.length = 0;
  upstream.script((request) => pageReply([ipConnectionRecord({ id: 'c', tags: 7 })], request, 250));
  const { data, errors } = await gateway.query(`{ ${fields} } ${fragment}`);
  // Of one field's values so many are reported.
  expect([data.a39.nodes[0].id, errors.length]).toEqual(['c', 20]);
  expect(await waysTaken(gateway)).toEqual(['bytes', 'general']);
  expect(upstream.requests).toHaveLength(1);
});

test('an operation whose program would be huge takes the general path', async ({ startWith, upstream }) => {
  const gateway = await startWith({ LIMIT_COST: '1000000' });
  upstream.script((request) => pageReply([ipConnectionRecord({ id: 'c' })], request, 250));
  const fragment = `fragment F on IpConnection ${selectionOf(ipConnectionRecord())}`;
  const fields = Array.from({ length: 40 }, (_, index) => `a${index}: ipConnection(id: "c") { ...F }`).join(' ');
  const { data, errors } = await gateway.query(`{ ${fields} } ${fragment}`);
  expect(errors).toEqual([]);
  expect(data.a39.id).toBe('c');
  expect(await waysTaken(gateway)).toEqual(['general']);
  await gateway.query('{ ipConnection(id: "c") { id } }');
  expect(await waysTaken(gateway)).toContain('compiled');
});

test('the info of a resolver has what a plan knows of its field, and to read more does not compile', () => {
  const field = { nodes: [] } as unknown as ResolvedField;
  const info = new Run([field], {}, {} as Context, {}).info(0);
  expect(Object.keys(info)).toEqual(['fieldNodes', 'fragments', 'variableValues']);
  // @ts-expect-error TS2339: where the field stands only graphql-js knows.
  const missions: QueryResolvers['missions'] = (_root, _args, _context, { path }) => Promise.reject(path);
  const missionType: Pick<MissionResolvers, 'nodeId'> = {
    // @ts-expect-error TS2339: nor has a plan a schema to tell of.
    nodeId: (_record, _args, _context, { schema: none }) => String(none),
  };
  expect([missions, missionType.nodeId]).toEqual([expect.any(Function), expect.any(Function)]);
});

test('the SDL is Latin-1, so that V8 keeps field names and responses at one byte a character', () => {
  const folder = new URL('../../schema/', import.meta.url);
  const wide = readdirSync(folder).filter((name) => /[^\0-\u{FF}]/u.test(readFileSync(new URL(name, folder), 'utf8')));
  expect(wide).toEqual([]);
});
