import { Kind, parse, validate, visit, type DocumentNode } from 'graphql';
import { afterEach, describe, expect, test } from 'vitest';
import { Code, quote } from '../../../src/graphql/execution/plan/code.ts';
import { createPlans, createProgramCache } from '../../../src/graphql/execution/plan/plan.ts';
import { createSchema } from '../../../src/resources/schema.ts';
import { readTypeDefs } from '../../../src/graphql/schema/type-defs.ts';
import { healthyReply } from '../../support/root-fields.ts';
import { createTwoWays, inAnyOrder, type Question } from './two-ways.ts';
import { answerOf, seenOf, type World } from './world.ts';

const schema = createSchema(readTypeDefs());
const { compiled, general } = createTwoWays(schema);
const world: World = { answer: (path) => answerOf(healthyReply(seenOf(path))) };

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

// What GraphQL's grammar has for a name and something else could take for its own.
const strange: readonly string[] = [
  'a'.repeat(500),
  ...`_ __ ___ _0 E1 NaN Infinity undefined null true false
    constructor prototype __proto__ __defineGetter__ __lookupSetter__ hasOwnProperty isPrototypeOf toString valueOf toJSON
    then catch get set async await yield let static eval arguments this return throw new delete
    globalThis process Function query fragment
    k0 k1 f0 f1 v r o i run list items name data errors`.split(/\s+/),
];

describe('the text of code', () => {
  test.for(hostile)('holds no name such as %j', (name) => {
    expect(() => quote(name)).toThrow(RangeError);
  });

  test.for(strange.filter((name) => name !== '__proto__'))('has %s for what it is, a text', (name) => {
    const code = new Code();
    const [build] = code.link<() => object>([code.define('', `return { ${quote(name)}: ${quote(name)} };`)]);
    expect(Object.entries(build?.() ?? {})).toEqual([[name, name]]);
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

/** An operation in which one name stands wherever a client may choose one. */
function operationOf(name: string): string {
  return `query ${name}($${name}: Boolean!, $n: Int) { ${name}: missions(first: $n) { ...${name} ...${name} @skip(if: $${name}) }
    kind: __typename @include(if: $${name}) }
    fragment ${name} on MissionConnection { ${name}: totalCount nodes { ${name}: name ${name}: name } pageInfo { ${name}: __typename } }`;
}

test.for(strange)('an operation with the name %s in every place has one response on both paths', async (name) => {
  const document = parse(operationOf(name));
  expect(validate(schema, document)).toEqual([]);
  const rest = `{"${name}":1,"nodes":[{"${name}":"Appointment reminders"}],"pageInfo":{"${name}":"PageInfo"}}`;
  for (const value of [true, false]) {
    // As JSON.parse makes it: `__proto__` is a member like others.
    const variables = Object.fromEntries([[name, value]]);
    const question: Question = { document, operationName: name, variables, world };
    const { took: _took, ...told } = await compiled(question);
    expect(inAnyOrder(told)).toEqual(inAnyOrder(await general(question)));
    expect(told.data).toBe(`{"${name}":${rest}${value ? ',"kind":"Query"' : ''}}`);
  }
});

const plain = parse(operationOf('victim'), { noLocation: true });
const kinds = [
  Kind.FIELD,
  Kind.FRAGMENT_SPREAD,
  Kind.FRAGMENT_DEFINITION,
  Kind.NAMED_TYPE,
  Kind.VARIABLE,
  Kind.OPERATION_DEFINITION,
  Kind.DIRECTIVE,
  Kind.ARGUMENT,
] as const;

/** The document with another text for each name of one kind of node, or of all; no text could be parsed to it. */
function withNames(text: string, kind: string | null): DocumentNode {
  const owners: string[] = [];
  return visit(plain, {
    enter(node) {
      const owner = owners.at(-1) ?? '';
      owners.push(node.kind);
      if (node.kind !== Kind.NAME || (kind !== null && owner !== kind)) return undefined;
      return { ...node, value: text };
    },
    leave() {
      owners.pop();
    },
  });
}

test.for(hostile)('a name %j that no parser accepts never becomes code', async (name) => {
  for (const kind of [...kinds, null]) {
    const document = withNames(name, kind);
    expect(JSON.stringify(document)).toContain(JSON.stringify(name));
    // It is not valid, so any response will do, except a failure of the gateway's own.
    createPlans(schema, document, createProgramCache())(undefined);
    for (const value of [true, false]) {
      const { log } = await compiled({ document, variables: { victim: value, [name]: value }, world });
      expect(log).toEqual([]);
      expect(ran()).toBeUndefined();
    }
  }
});
