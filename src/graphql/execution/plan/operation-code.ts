import {
  getNullableType,
  isCompositeType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type FieldNode,
  type GraphQLAbstractType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';
import { leaves, type Leaf } from '../../schema/leaf.ts';
import { sourceOf } from '../../schema/value-reader.ts';
import { wireFieldOf } from '../../schema/wire-fields.ts';
import { Code, quote } from './code.ts';
import { recordLeafCode, resolvedLeafCode } from './leaf-code.ts';
import { resolvedField, type ResolvedField } from './resolved-field.ts';
import { Uncovered, type Selection } from './selection.ts';
import { bad, isPromise } from './value-check.ts';

/** The nodes that select one field. */
export type Nodes = readonly [FieldNode, ...FieldNode[]];

/** A member of an object literal; or, where it may have to be awaited, its resolver's result, and what completes it later. */
interface Member {
  readonly now: string;
  readonly later: string | null;
}

/**
 * The code of an operation, function by function: one for each object that is selected from, one for each list. In all of it, `v` is
 * the value at hand, `r` the record or parent, and `run` the execution. Methods throw `Uncovered` for what code cannot cover.
 */
export class OperationCode {
  readonly code = new Code();
  /** The fields whose resolvers the code calls, by the index under which it names them. */
  readonly fields: ResolvedField[] = [];
  readonly #schema: GraphQLSchema;
  readonly #selection: Selection;
  readonly #completions = new Map<string, string>();
  readonly #fail = `${this.code.constant(bad)}()`;

  constructor(schema: GraphQLSchema, selection: Selection) {
    this.#schema = schema;
    this.#selection = selection;
  }

  /**
   * The name of a function that completes a root field of this type, of what its resolver returned. An item of a list that
   * has failed, and may be null, is an error in its own place.
   */
  rootCompletionOf(type: GraphQLOutputType, index: number, key: string): string {
    const { nodes } = this.fields[index] as ResolvedField;
    if (!isListType(type) || isNonNullType(type.ofType) || !isCompositeType(type.ofType))
      return this.#completion(this.#resolved(type, nodes));
    const failed = `{ items[i] = null; run.failItem(${index}, ${quote(key)}, i, v); }`;
    const list = this.#resolvedList(type.ofType, nodes, `if (v instanceof Error) ${failed} else`);
    return this.#completion(`v == null ? null : ${list}`);
  }

  /** The name of a function that returns this text. */
  textOf(text: string): string {
    return this.code.define('v, run', `return ${quote(text)};`);
  }

  /** The index of a new field whose resolver is called. */
  addField(type: GraphQLObjectType, nodes: Nodes): number {
    return this.fields.push(resolvedField(type, nodes)) - 1;
  }

  /** Code that turns `v`, as it stands in a record, into its part of the response. */
  #wire(type: GraphQLOutputType, nodes: Nodes, leaf: Leaf | undefined): string {
    const missing = isNonNullType(type) ? this.#fail : 'null';
    return `v == null ? ${missing} : ${this.#presentWire(getNullableType(type), nodes, leaf)}`;
  }

  #presentWire(type: GraphQLOutputType, nodes: Nodes, leaf: Leaf | undefined): string {
    if (isListType(type)) {
      // In a record a list holds no null, whatever its type says: its reader refuses the item.
      const item = `v == null ? ${this.#fail} : ${this.#presentWire(getNullableType(type.ofType), nodes, leaf)}`;
      return `${this.#list(`items[i] = ${item};`)}(v, run)`;
    }
    if (isLeafType(type)) return recordLeafCode(this.code, leaf ?? leaves[type.name]);
    const read = `(v = ${this.code.constant(sourceOf(type.name).read)}(v)) === undefined`;
    return `${read} ? ${this.#fail} : ${this.#composite(type, nodes)}(v, run)`;
  }

  /** Code that turns `v`, as a resolver returned it, into its part of the response (GraphQL, section 6.4.3). */
  #resolved(type: GraphQLOutputType, nodes: Nodes): string {
    const missing = isNonNullType(type) ? this.#fail : 'null';
    return `v == null ? ${missing} : ${this.#presentResolved(getNullableType(type), nodes)}`;
  }

  #presentResolved(type: GraphQLOutputType, nodes: Nodes): string {
    if (isLeafType(type)) return resolvedLeafCode(this.code, type);
    if (!isListType(type)) return `v instanceof Error ? ${this.#fail} : ${this.#composite(type, nodes)}(v, run)`;
    return this.#resolvedList(type.ofType, nodes);
  }

  #resolvedList(itemType: GraphQLOutputType, nodes: Nodes, before = ''): string {
    const item = this.#resolved(itemType, nodes);
    const later = `{ items[i] = null; run.settle(items, i, v, ${this.#completion(item)}); }`;
    const each = `${before} if (${this.code.constant(isPromise)}(v)) ${later} else items[i] = ${item};`;
    return `${this.#list(each)}(v, run)`;
  }

  /** A long list is completed in slices of time: what is returned gets its other items before the run has ended. */
  #list(each: string): string {
    const { nextName } = this.code;
    const later = `run.later(() => ${nextName}(list, run, items, i + 1));`;
    const loop = `for (; i < list.length; i++) { let v = list[i]; ${each} if (run.isOver()) { ${later} break; } }`;
    const check = `if (!Array.isArray(list)) ${this.#fail};`;
    return this.code.define('list, run, items = [], i = 0', `${check} ${loop} return items;`);
  }

  #completion(expression: string): string {
    const name = this.#completions.get(expression) ?? this.code.define('v, run', `return ${expression};`);
    this.#completions.set(expression, name);
    return name;
  }

  #composite(type: GraphQLOutputType, nodes: Nodes): string {
    return isObjectType(type) ? this.#object(type, nodes) : this.#abstract(type as GraphQLAbstractType, nodes);
  }

  #abstract(type: GraphQLAbstractType, nodes: Nodes): string {
    const { resolveType } = type;
    if (resolveType == null) throw new Uncovered();
    const name = `const name = ${this.code.constant(resolveType)}(v, run.context);`;
    const possible = isInterfaceType(type) ? this.#schema.getPossibleTypes(type) : type.getTypes();
    const cases = possible.map((one) => `if (name === ${quote(one.name)}) return ${this.#object(one, nodes)}(v, run);`);
    return this.code.define('v, run', `${name} ${cases.join(' ')} return ${this.#fail};`);
  }

  #object(type: GraphQLObjectType, nodes: Nodes): string {
    if (type.isTypeOf != null) throw new Uncovered();
    const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    const members: string[] = [];
    const settled: string[] = [];
    for (const [key, fieldNodes] of this.#selection.fieldsOf(type, sets)) {
      const name = quote(key);
      const { now, later } = this.#member(type, fieldNodes);
      members.push(`${name}: ${later === null ? now : 'null'}`);
      if (later !== null) settled.push(`run.settle(o, ${name}, ${now}, ${later});`);
    }
    const literal = `{ ${members.join(', ')} }`;
    const build = settled.length === 0 ? `return ${literal};` : `const o = ${literal}; ${settled.join(' ')} return o;`;
    return this.code.define('r, run', `let v; ${build}`);
  }

  #member(type: GraphQLObjectType, nodes: Nodes): Member {
    const name = nodes[0].name.value;
    if (name === '__typename') return { now: quote(type.name), later: null };
    const definition = type.getFields()[name];
    if (definition?.resolve === undefined) throw new Uncovered();
    const field = wireFieldOf(definition.resolve);
    if (field?.type !== definition.type) return this.#resolvedMember(type, nodes);
    const value = this.#wire(definition.type, nodes, field.leaf);
    return { now: `(v = r[${quote(field.name)}], ${value})`, later: null };
  }

  #resolvedMember(parent: GraphQLObjectType, nodes: Nodes): Member {
    const index = this.addField(parent, nodes);
    const { args, definition } = this.fields[index] as ResolvedField;
    const given = args === null ? `run.args(${index})` : this.code.constant(args);
    const result = `${this.code.constant(definition.resolve)}(r, ${given}, run.context, run.info(${index}))`;
    const value = this.#resolved(definition.type, nodes);
    if (isLeafType(getNullableType(definition.type))) return { now: `(v = ${result}, ${value})`, later: null };
    return { now: `run.note(r, ${index}, ${result})`, later: this.#completion(value) };
  }
}
