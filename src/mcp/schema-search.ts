import {
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
  getNamedType,
  type GraphQLArgument,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql';
import { foundTypes, schemaSearchBytes, searchWords } from '../bounds.ts';
import { oneLine } from './one-line.ts';

/** Returns the part of the schema that matters for some words, as SDL of at most `schemaSearchBytes`. */
export type SearchSchema = (text: string) => string;

/** One line of a type: a field, an input field or a value. */
interface Member {
  readonly name: string;
  readonly signature: string;
  readonly description: string;
  /** The named type of a field; null for a value. */
  readonly leadsTo: string | null;
  readonly words: readonly string[];
}

interface Entry {
  readonly head: string;
  readonly name: string;
  readonly description: string;
  readonly words: readonly string[];
  readonly members: readonly Member[];
}

// A name that matches says more than a description that does, and the name of a type says more than that of a field.
const nameWeight = 4;
const typeNameWeight = 8;

/** Creates the search over a schema. Fields of the root are shown where they match, or where they lead to a type that does. */
export function createSchemaSearch(schema: GraphQLSchema): SearchSchema {
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
  const { name, description } = type;
  const words = wordsOf(name);
  return { name, head: headOf(type), description: oneLine(description), words, members: membersOf(type) };
}

function headOf(type: GraphQLNamedType): string {
  if (isObjectType(type)) return `type ${type.name}`;
  if (isInterfaceType(type)) return `interface ${type.name}`;
  if (isInputObjectType(type)) return `input ${type.name}`;
  return isEnumType(type) ? `enum ${type.name}` : `union ${type.name}`;
}

function membersOf(type: GraphQLNamedType): readonly Member[] {
  if (isEnumType(type)) return type.getValues().map(({ name, description }) => memberOf(name, name, description, null));
  if (isUnionType(type)) return type.getTypes().map(({ name }) => memberOf(name, name, null, name));
  if (isInputObjectType(type))
    return Object.values(type.getFields()).map(({ name, type: inner, description }) =>
      memberOf(name, `${name}: ${String(inner)}`, description, getNamedType(inner).name),
    );
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  return Object.values(type.getFields())
    .filter(({ name }) => !name.startsWith('_'))
    .map(({ name, args, type: inner, description }) =>
      memberOf(name, `${name}${printArguments(args)}: ${String(inner)}`, description, getNamedType(inner).name),
    );
}

function printArguments(args: readonly GraphQLArgument[]): string {
  return args.length === 0 ? '' : `(${args.map(({ name, type }) => `${name}: ${String(type)}`).join(', ')})`;
}

function memberOf(
  name: string,
  signature: string,
  description: string | null | undefined,
  leadsTo: string | null,
): Member {
  return { name, signature, description: oneLine(description), leadsTo, words: wordsOf(name) };
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
