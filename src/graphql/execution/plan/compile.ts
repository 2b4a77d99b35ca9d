import {
  getArgumentValues,
  getNullableType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  visit,
  type FieldNode,
  type GraphQLAbstractType,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type SelectionSetNode,
} from 'graphql';
import { leaves, type Leaf } from '../../schema/leaf.ts';
import { sourceOf, wireFieldOf } from '../../schema/wire-fields.ts';
import { Code, quote } from './code.ts';
import { bad, isPromise, some, type Complete, type ResolvedField } from './run.ts';
import { Uncovered, type Selection } from './selection.ts';

/** A field of the root, and what makes its part of the answer of what its resolver returns. */
export interface RootField {
  readonly key: string;
  /** Among `fields` of the program; null for `__typename`. */
  readonly index: number;
  readonly complete: Complete;
}

/** What an operation has become. It holds no data of anybody. */
export interface Program {
  readonly roots: readonly RootField[];
  readonly fields: readonly ResolvedField[];
  /** What it takes of the memory, in bytes, roughly. */
  readonly weight: number;
}

// Text, bytecode and closures.
const bytesPerCharacter = 4;
const bytesPerField = 256;
// The text of a value is the document's.
const bytesPerValue = 64;

type Nodes = readonly [FieldNode, ...FieldNode[]];

/**
 * Compiles the selection of an operation: one function for each object that is selected from, which builds its part of the
 * answer as a literal. Fields of a record are read in place by their wire names, others from their resolvers. Wherever a
 * value is not as it should be the function throws, and the answer is left to the general executor. Throws `Uncovered` where
 * that is so from the start.
 */
export function compile(
  schema: GraphQLSchema,
  root: GraphQLObjectType,
  rootSet: SelectionSetNode,
  selection: Selection,
): Program {
  const code = new Code();
  const fields: ResolvedField[] = [];
  const use = (value: unknown): string => code.constant(value);
  const fail = `${use(bad)}()`;

  /** Code that turns `v`, as it stands in a record, into its part of the answer. */
  function wire(type: GraphQLOutputType, nodes: Nodes, leaf: Leaf | undefined): string {
    const missing = isNonNullType(type) ? fail : 'null';
    return `v == null ? ${missing} : ${presentWire(getNullableType(type), nodes, leaf)}`;
  }

  function presentWire(type: GraphQLOutputType, nodes: Nodes, leaf: Leaf | undefined): string {
    if (isListType(type)) {
      // In a record a list holds no null, whatever its type says: its reader refuses the item.
      const item = `v == null ? ${fail} : ${presentWire(getNullableType(type.ofType), nodes, leaf)}`;
      return `${listFunction(`items[i] = ${item};`)}(v, run)`;
    }
    if (isLeafType(type)) return wireLeaf(leaf ?? leaves[type.name]);
    const read = `(v = ${use(sourceOf(type.name).read)}(v)) === undefined`;
    return `${read} ? ${fail} : ${composite(type, nodes)}(v, run)`;
  }

  function wireLeaf(leaf: Leaf | undefined): string {
    if (leaf === undefined) throw new Uncovered();
    const { read, code: test } = leaf;
    const slowly = `${use(some)}(${use(read)}(v))`;
    return test === undefined ? slowly : `${test} ? v : ${slowly}`;
  }

  /** Code that turns `v`, as a resolver returned it, into its part of the answer (GraphQL, section 6.4.3). */
  function resolved(type: GraphQLOutputType, nodes: Nodes): string {
    const missing = isNonNullType(type) ? fail : 'null';
    return `v == null ? ${missing} : ${presentResolved(getNullableType(type), nodes)}`;
  }

  function presentResolved(type: GraphQLOutputType, nodes: Nodes): string {
    if (isLeafType(type)) return resolvedLeaf(type);
    if (!isListType(type)) return `v instanceof Error ? ${fail} : ${composite(type, nodes)}(v, run)`;
    const item = resolved(type.ofType, nodes);
    const later = `{ items[i] = null; run.settle(items, i, v, ${completion(item)}); }`;
    return `${listFunction(`if (${use(isPromise)}(v)) ${later} else items[i] = ${item};`)}(v, run)`;
  }

  function resolvedLeaf(type: GraphQLLeafType): string {
    const serialize = `${use(some)}(${use((value: unknown) => type.serialize(value))}(v))`;
    const test = leaves[type.name]?.code;
    // A promise that cannot be waited for is handled where its resolver returned it.
    const slowly = `v instanceof Error || ${use(isPromise)}(v) ? ${fail} : ${serialize}`;
    return test === undefined ? slowly : `${test} ? v : ${slowly}`;
  }

  function listFunction(each: string): string {
    const loop = `for (let i = 0; i < list.length; i++) { let v = list[i]; ${each} }`;
    return code.define('list, run', `if (!Array.isArray(list)) ${fail}; const items = []; ${loop} return items;`);
  }

  const completions = new Map<string, string>();

  function completion(expression: string): string {
    const name = completions.get(expression) ?? code.define('v, run', `return ${expression};`);
    completions.set(expression, name);
    return name;
  }

  function composite(type: GraphQLOutputType, nodes: Nodes): string {
    if (isObjectType(type)) return objectFunction(type, nodes);
    return abstractFunction(type as GraphQLAbstractType, nodes);
  }

  function abstractFunction(type: GraphQLAbstractType, nodes: Nodes): string {
    const { resolveType } = type;
    if (resolveType == null) throw new Uncovered();
    const name = `const name = ${use(resolveType)}(v, run.context);`;
    const possible = isInterfaceType(type) ? schema.getPossibleTypes(type) : type.getTypes();
    const cases = possible.map(
      (one) => `if (name === ${quote(one.name)}) return ${objectFunction(one, nodes)}(v, run);`,
    );
    return code.define('v, run', `${name} ${cases.join(' ')} return ${fail};`);
  }

  function objectFunction(type: GraphQLObjectType, nodes: Nodes): string {
    if (type.isTypeOf != null) throw new Uncovered();
    const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    const members: string[] = [];
    const settled: string[] = [];
    for (const [key, fieldNodes] of selection.fieldsOf(type, sets)) {
      const name = quote(key);
      const value = valueOf(type, fieldNodes);
      members.push(`${name}: ${value.later === null ? value.now : 'null'}`);
      if (value.later !== null) settled.push(`run.settle(o, ${name}, ${value.now}, ${value.later});`);
    }
    const literal = `{ ${members.join(', ')} }`;
    const build = settled.length === 0 ? `return ${literal};` : `const o = ${literal}; ${settled.join(' ')} return o;`;
    return code.define('r, run', `let v; ${build}`);
  }

  /** A member of a literal; or, where it may have to be waited for, its resolver's result, and what completes it later. */
  function valueOf(type: GraphQLObjectType, nodes: Nodes): { readonly now: string; readonly later: string | null } {
    const [{ name }] = nodes;
    if (name.value === '__typename') return { now: quote(type.name), later: null };
    const definition = type.getFields()[name.value];
    if (definition?.resolve === undefined) throw new Uncovered();
    const wireField = wireFieldOf(definition.resolve);
    if (wireField?.type === definition.type)
      return { now: `(v = r[${quote(wireField.name)}], ${wire(definition.type, nodes, wireField.leaf)})`, later: null };
    const index = addField(type, nodes);
    const { args } = fields[index] as ResolvedField;
    const given = args === null ? `run.args(${index})` : use(args);
    const result = `${use(definition.resolve)}(r, ${given}, run.context, run.info(${index}))`;
    const isLeaf = isLeafType(getNullableType(definition.type));
    if (isLeaf) return { now: `(v = ${result}, ${resolved(definition.type, nodes)})`, later: null };
    return { now: `run.note(r, ${index}, ${result})`, later: completion(resolved(definition.type, nodes)) };
  }

  function addField(type: GraphQLObjectType, nodes: Nodes): number {
    const definition = type.getFields()[nodes[0].name.value];
    if (definition === undefined) throw new Uncovered();
    // All callers share them.
    const args = hasVariables(nodes[0]) ? null : frozen(getArgumentValues(definition, nodes[0], {}));
    return fields.push({ definition, coordinate: `${type.name}.${definition.name}`, nodes, args }) - 1;
  }

  const planned = [...selection.fieldsOf(root, [rootSet])].map(([key, nodes]) => {
    quote(key);
    const [{ name }] = nodes;
    if (name.value === '__typename')
      return { key, index: null, complete: code.define('v, run', `return ${quote(root.name)};`) };
    const definition = root.getFields()[name.value];
    // A field that must not be null would take the whole answer with it.
    if (definition === undefined || isNonNullType(definition.type)) throw new Uncovered();
    return { key, index: addField(root, nodes), complete: completion(resolved(definition.type, nodes)) };
  });
  const completes = code.link<Complete>(planned.map(({ complete }) => complete));
  return {
    fields,
    weight: code.length * bytesPerCharacter + fields.reduce((sum, field) => sum + weightOf(field), 0),
    roots: planned.map(({ key, index }, at) => ({ key, index, complete: completes[at] as Complete })) as RootField[],
  };
}

function weightOf({ nodes, args }: ResolvedField): number {
  return bytesPerField + nodes.length * 8 + (args === null ? 0 : valuesIn(args) * bytesPerValue);
}

function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, member) => sum + valuesIn(member), 1);
}

function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) frozen(member);
  return Object.freeze(value);
}

/** Whether any variable stands in the arguments of a field. */
function hasVariables({ arguments: args = [] }: FieldNode): boolean {
  let found = false;
  for (const { value } of args) visit(value, { [Kind.VARIABLE]: () => void (found = true) });
  return found;
}
