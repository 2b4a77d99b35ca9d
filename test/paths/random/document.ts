import {
  getNamedType,
  getNullableType,
  GraphQLBoolean,
  GraphQLNonNull,
  isAbstractType,
  isCompositeType,
  isInterfaceType,
  isNonNullType,
  isUnionType,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
} from 'graphql';
import type { Random } from '../../../src/sandbox/random.ts';
import { literalOf, valueFor, type Harvest } from './argument.ts';

/** A request as a client might write it: often good, sometimes wrong in ways that a generator of good ones would miss. */
export interface RandomRequest {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

interface Fragment {
  readonly name: string;
  readonly on: string;
  readonly text: string;
}

interface Draft {
  readonly random: Random;
  readonly schema: GraphQLSchema;
  readonly harvest: Harvest;
  readonly variables: Record<string, unknown>;
  readonly declarations: string[];
  /** Variables that decide about selections. */
  readonly switches: string[];
  readonly fragments: Fragment[];
  /** Whether mistakes are made: one of them costs the whole document, so most documents are to have none. */
  readonly isSloppy: boolean;
  /** Fields that may still be written. */
  room: number;
  names: number;
}

const deepest = 7;
const introspection = [
  '__schema { queryType { name } types { name kind } }',
  '__type(name: "IpConnection") { name fields { name args { name type { name ofType { name } } } } }',
  '__schema { directives { name locations args { name defaultValue } } }',
  '__type(name: "Nobody") { name }',
];

/**
 * Writes a random document over a schema: equal random streams and harvests give equal documents. Mistakes are made in about
 * the given share of them; the others are valid, but for a few.
 */
export function randomRequest(
  schema: GraphQLSchema,
  random: Random,
  harvest: Harvest,
  sloppyShare = 0.3,
): RandomRequest {
  const draft: Draft = {
    random,
    schema,
    harvest,
    variables: {},
    declarations: [],
    switches: [],
    fragments: [],
    isSloppy: random.chance(sloppyShare),
    room: random.int(3, 60),
    names: 0,
  };
  const query = schema.getQueryType();
  if (query == null) throw new Error('The schema has no Query.');
  const selection = selectionOf(draft, query, 0);
  const head =
    draft.declarations.length > 0 ? `query Q(${draft.declarations.join(', ')}) ` : random.pick(['', 'query Q ']);
  const text = [`${head}${selection}`, ...draft.fragments.map((fragment) => fragment.text)].join('\n');
  return { query: draft.isSloppy && random.chance(0.3) ? damaged(text, random) : text, variables: draft.variables };
}

function selectionOf(draft: Draft, type: GraphQLCompositeType, depth: number): string {
  const { random } = draft;
  const count = depth === 0 ? random.int(1, 3) : random.int(1, 5);
  const items = Array.from({ length: count }, () => itemOf(draft, type, depth)).filter((item) => item !== '');
  if (random.chance(0.15)) items.push('__typename');
  // A selection that is written twice has one result.
  if (random.chance(0.1)) items.push(...items);
  return `{ ${items.length > 0 ? items.join(' ') : '__typename'} }`;
}

function itemOf(draft: Draft, type: GraphQLCompositeType, depth: number): string {
  const { random } = draft;
  if (depth === 0 && random.chance(0.06)) return random.pick(introspection);
  if (isUnionType(type) || random.chance(isInterfaceType(type) ? 0.5 : 0.12)) return fragmentOf(draft, type, depth);
  return fieldOf(draft, random.pick(Object.values(type.getFields())), depth);
}

function fragmentOf(draft: Draft, type: GraphQLCompositeType, depth: number): string {
  const { random, schema, fragments } = draft;
  const members = isAbstractType(type) ? schema.getPossibleTypes(type) : [type];
  const possible = [...new Set([type, ...members, ...members.flatMap((member) => member.getInterfaces())])];
  const target = possible.length === 0 || depth > deepest ? type : random.pick(possible);
  if (depth > deepest + 2) return '__typename';
  const known = fragments.filter(({ on }) => on === target.name);
  if (known.length > 0 && random.chance(0.3)) return `...${random.pick(known).name}${directiveOf(draft)}`;
  const selection = selectionOf(draft, target, depth + 1);
  if (random.chance(0.6)) return `... on ${target.name}${directiveOf(draft)} ${selection}`;
  const name = `F${fragments.length}`;
  fragments.push({ name, on: target.name, text: `fragment ${name} on ${target.name} ${selection}` });
  return `...${name}${directiveOf(draft)}`;
}

function fieldOf(draft: Draft, field: GraphQLField<unknown, unknown>, depth: number): string {
  const { random } = draft;
  const type = getNamedType(field.type);
  if (isCompositeType(type) && (depth >= deepest || draft.room <= 0)) return '__typename';
  draft.room--;
  const args = field.args
    .filter(({ type: argumentType, defaultValue }) => {
      const isRequired = getNullableType(argumentType) !== argumentType && defaultValue === undefined;
      return isRequired ? !mistake(draft) : random.chance(0.3);
    })
    .map(({ name, type: argumentType }) => `${name}: ${argumentOf(draft, name, argumentType)}`);
  // The same field with other arguments needs a name of its own; in a sloppy document the names may clash.
  const needsAlias = field.args.length > 0 && !draft.isSloppy;
  const alias = needsAlias || random.chance(0.3) ? `a${draft.isSloppy ? random.int(0, 9) : draft.names++}: ` : '';
  const given = args.length > 0 ? `(${args.join(', ')})` : '';
  const selection = isCompositeType(type) ? ` ${selectionOf(draft, type, depth + 1)}` : '';
  return `${alias}${field.name}${given}${directiveOf(draft)}${selection}`;
}

function argumentOf(draft: Draft, name: string, type: GraphQLInputType): string {
  const { random } = draft;
  const value = valueFor(name, type, random, { ...draft.harvest, isSloppy: draft.isSloppy });
  if (random.chance(0.6) && (draft.isSloppy || isWritable(value))) return literalOf(value, type);
  return variableOf(draft, type, value);
}

/** No literal can hold half a character. */
function isWritable(value: unknown): boolean {
  return !JSON.stringify(value).includes('\\ud');
}

function variableOf(draft: Draft, type: GraphQLInputType, value: unknown): string {
  const { random, variables, declarations } = draft;
  const name = `v${declarations.length}`;
  // With a default a variable may be null where its argument must not, which shows when the argument is read.
  const hasDefault = value !== null && isWritable(value) && random.chance(0.2);
  const given = hasDefault ? getNullableType(type) : type;
  const declared = mistake(draft) ? random.pick(['Int', 'String', '[Nothing!]', 'Mission']) : String(given);
  declarations.push(`$${name}: ${declared}${hasDefault ? ` = ${literalOf(value, type)}` : ''}`);
  const isLeftOut = mistake(draft) || (!isNonNullType(given) && random.chance(0.3));
  const isNulled = !isNonNullType(given) && random.chance(0.1);
  const wrong = mistake(draft) ? random.pick([null, {}, [], 'x', 1.5, true]) : undefined;
  if (!isLeftOut) variables[name] = wrong ?? (isNulled ? null : value);
  return `$${name}`;
}

function mistake({ random, isSloppy }: Draft): boolean {
  return isSloppy && random.chance(0.05);
}

function directiveOf(draft: Draft): string {
  const { random } = draft;
  if (!random.chance(0.08)) return '';
  const condition = random.chance(0.5) ? String(random.chance(0.5)) : switchOf(draft);
  return ` ${mistake(draft) ? '@nothing' : random.pick(['@skip', '@include'])}(if: ${condition})`;
}

function switchOf(draft: Draft): string {
  const { random, switches } = draft;
  if (switches.length > 0 && random.chance(0.5)) return random.pick(switches);
  const name = variableOf(draft, new GraphQLNonNull(GraphQLBoolean), random.chance(0.5));
  switches.push(name);
  return name;
}

const junk = [
  '{',
  '}',
  '(',
  ')',
  '"',
  '$',
  '...',
  '@',
  ':',
  '\u0000',
  '\uD800',
  '#',
  '"""',
  '\\',
  'on',
  '!',
  '🤖',
  '99999999999',
];

/** A text with a few characters taken out, put in or put twice. */
function damaged(text: string, random: Random): string {
  let result = text;
  for (let count = random.int(1, 3); count > 0; count--) {
    const at = random.int(0, result.length);
    const end = at + random.int(0, 3);
    const between = random.pick(['', random.pick(junk), result.slice(at, end).repeat(2)]);
    result = result.slice(0, at) + between + result.slice(end);
  }
  return result;
}
