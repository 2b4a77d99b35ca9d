import {
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
  getNamedType,
  type GraphQLEnumValue,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';
import { argumentTextBytes } from '../bounds.ts';
import { badArgument } from '../errors.ts';
import type { JsonObject } from '../json.ts';
import { objectSchema, oneLine } from './input-schema.ts';
import { textResult } from './tool-result.ts';
import { createTool, type Tool, type ToolParts } from './tool.ts';

/** Words of one search of the schema that are looked for. */
const searchWords = 20;

/** Types that one search of the schema finds, besides the fields of the root that lead to them. */
const foundTypes = 5;

/** Bytes of SDL that one search of the schema returns: a fifth of the schema. */
export const schemaSearchBytes = 8_000;

/** No document of a tool may have this name. */
export const searchToolName = 'search_schema';

/** Creates the tool that finds the types and fields for some words. */
export function createSearchTool(parts: ToolParts): Tool {
  const search = createSchemaSearch(parts.schema);
  const words = { type: 'string', description: 'What to look for, e.g. failed webhook deliveries' } as const;
  const definition = {
    name: searchToolName,
    description: 'The few types and fields of the GraphQL schema that matter for some words. Use it before run_query.',
    inputSchema: objectSchema({ words }, ['words']),
    // Its failures name its own argument, and no field.
    names: { variables: [], find: () => ({}) },
    run({ words: text }: JsonObject) {
      if (typeof text !== 'string') throw badArgument(['words'], 'words must be a text.');
      if (Buffer.byteLength(text) > argumentTextBytes)
        throw badArgument(['words'], `words must have at most ${argumentTextBytes} bytes.`);
      return textResult(search(text));
    },
  };
  return createTool(definition, parts);
}

/** One line of a type: a field, an input field, a value of an enumeration or a member of a union. */
interface Member {
  readonly name: string;
  readonly signature: string;
  readonly description: string;
  /** The named type of a field; absent for a value. */
  readonly leadsTo?: string;
  readonly words: readonly string[];
}

interface Entry extends Omit<Member, 'signature' | 'leadsTo'> {
  readonly head: string;
  readonly members: readonly Member[];
}

// A name that matches says more than a description that does, and the name of a type says more than that of a field.
const nameWeight = 4;
const typeNameWeight = 8;

/**
 * Creates the search over a schema, which returns the part that matters for some words, as SDL of at most `schemaSearchBytes`. Fields of
 * the root are shown where they match, or where they lead to a type that does.
 */
function createSchemaSearch(schema: GraphQLSchema): (text: string) => string {
  const root = entryOf(schema.getQueryType() as GraphQLNamedType);
  const entries = Object.values(schema.getTypeMap())
    .filter(({ name }) => !name.startsWith('_') && name !== root.name && name !== 'Subscription')
    .map(entryOf)
    .filter(({ members }) => members.length > 0);

  return (text) => {
    const words = [...new Set(wordsOf(text))].slice(0, searchWords);
    const ranked = entries
      .map((entry) => ({ entry, score: scoreOf(entry, words) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score || (a.entry.name < b.entry.name ? -1 : 1))
      .slice(0, foundTypes)
      .map(({ entry }) => entry);
    const found = new Set(ranked.map(({ name }) => name));
    const ways = root.members.filter(
      (member) => memberScore(member, words) > 0 || found.has((member.leadsTo ?? '').replace(/Connection$/, '')),
    );
    const query = { ...root, members: ways.length === 0 ? root.members : ways };
    return printWithin([query, ...ranked], words);
  };
}

function entryOf(type: GraphQLNamedType): Entry {
  const { name } = type;
  const members = itemsOf(type).filter((item) => !item.name.startsWith('_'));
  return {
    name,
    head: `${kindOf(type)} ${name}`,
    description: oneLine(type.description),
    words: wordsOf(name),
    members: members.map((item) => memberOf(item, isUnionType(type))),
  };
}

function kindOf(type: GraphQLNamedType): string {
  if (isObjectType(type)) return 'type';
  if (isInterfaceType(type)) return 'interface';
  if (isInputObjectType(type)) return 'input';
  return isEnumType(type) ? 'enum' : 'union';
}

type Item = GraphQLField<unknown, unknown> | GraphQLInputField | GraphQLEnumValue | GraphQLObjectType;

function itemsOf(type: GraphQLNamedType): readonly Item[] {
  if (isEnumType(type)) return type.getValues();
  if (isUnionType(type)) return type.getTypes();
  return 'getFields' in type ? Object.values(type.getFields()) : [];
}

function memberOf(item: Item, isType: boolean): Member {
  const { name } = item;
  const args = 'args' in item ? item.args.map((arg) => `${arg.name}: ${String(arg.type)}`) : [];
  const shownArgs = args.length === 0 ? '' : `(${args.join(', ')})`;
  return {
    name,
    signature: 'type' in item ? `${name}${shownArgs}: ${String(item.type)}` : name,
    // A type is described where it stands itself.
    description: isType ? '' : oneLine(item.description),
    ...('type' in item && { leadsTo: getNamedType(item.type).name }),
    words: wordsOf(name),
  };
}

function scoreOf({ words: own, description, members }: Entry, words: readonly string[]): number {
  const best = Math.max(...members.map((member) => memberScore(member, words)));
  return matches(own, words) * typeNameWeight + matches(wordsOf(description), words) + best;
}

function memberScore({ words: own, description }: Member, words: readonly string[]): number {
  return matches(own, words) * nameWeight + matches(wordsOf(description), words);
}

/** How many of the words occur, in whatever form: the stem of one is the beginning of the other's. */
function matches(own: readonly string[], words: readonly string[]): number {
  return words.filter((word) => own.some((name) => name.startsWith(word) || word.startsWith(name))).length;
}

/** The stems of the words of a text, or of a name in camel case, that have three letters or more. */
function wordsOf(text: string): readonly string[] {
  const parts = text.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, ' ').toLowerCase();
  return (parts.match(/[a-z0-9]{3,}/g) ?? []).map((word) => word.replace(/(?<=...)(?:ies|y|es|s|ed|ing)$/, ''));
}

/** Prints types, the most important first, as long as there is room. What matches the words is printed with its description. */
function printWithin(entries: readonly Entry[], words: readonly string[]): string {
  let text = '';
  for (const entry of entries) {
    const full = print(entry, ({ description, ...member }) =>
      memberScore({ description, ...member }, words) > 0 ? description : '',
    );
    const short = print(entry, () => '');
    const printed = [full, short].find((each) => Buffer.byteLength(text + each) <= schemaSearchBytes);
    if (printed !== undefined) text += printed;
  }
  return text.trimEnd();
}

function print({ head, description, members }: Entry, descriptionOf: (member: Member) => string): string {
  const lines = members.map((member) => {
    const shown = descriptionOf(member);
    return `${shown === '' ? '' : `  # ${shown}\n`}  ${member.signature}`;
  });
  return `${description === '' ? '' : `# ${description}\n`}${head} {\n${lines.join('\n')}\n}\n\n`;
}
