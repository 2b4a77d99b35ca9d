import {
  getNullableType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  type ExecutionResult,
  type GraphQLAbstractType,
  type GraphQLError,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';
import { leaves, type Leaf } from '../../schema/scalars.ts';
import { formOf, wireFieldOf } from '../../schema/wire-fields.ts';
import { bad, Code, isPromise, quote, recordLeafCode, resolvedLeafCode } from './code.ts';
import { bytesPerField, resolvedField, type ResolvedField, type PlanRun } from './plan-run.ts';
import { Uncovered, type Nodes, type FieldsOf } from './selection.ts';

/** What an operation has become. It holds no data of anybody. */
export interface Program {
  /** Begins to show the fields of the root. Throws where the general executor must. */
  readonly show: (root: undefined, run: PlanRun) => Record<string, unknown>;
  readonly fields: readonly ResolvedField[];
  /** What it takes of the memory, in bytes, roughly. */
  readonly weight: number;
}

/** The result of an execution; null where the general executor must execute it. */
export type Outcome = ExecutionResult | null;

// Text, bytecode and closures.
const bytesPerCharacter = 6;

/**
 * Compiles fields of the root of an operation: one function for each object that is selected from, which builds its part of the
 * response as a literal. Fields of a record are read in place by their wire names, others come from their resolvers. Where a
 * value is not as it should be the function throws, and the general executor answers. Throws `Uncovered` where that is known
 * from the start.
 */
export function compile(
  schema: GraphQLSchema,
  root: GraphQLObjectType,
  fields: Iterable<readonly [key: string, nodes: Nodes]>,
  fieldsOf: FieldsOf,
): Program {
  const operation = new OperationCode(schema, fieldsOf);
  const [show] = operation.code.link<Program['show']>([operation.root(root, fields)]);
  return { show: show as Program['show'], fields: operation.fields, weight: operation.weight };
}

/** Puts what an object shows for one of its fields into a list: now, or when its promise is fulfilled. Throws where that holds an error. */
export type Put = (record: unknown, run: PlanRun, values: unknown[], index: number) => void;

/** Compiles fields of objects that are at hand. Throws `Uncovered` as `compile` does. */
export function compileFields(
  schema: GraphQLSchema,
  members: readonly (readonly [type: GraphQLObjectType, nodes: Nodes])[],
  fieldsOf: FieldsOf,
): Pick<Program, 'fields' | 'weight'> & { readonly puts: readonly Put[] } {
  const operation = new OperationCode(schema, fieldsOf);
  const puts = operation.code.link<Put>(members.map(([type, nodes]) => operation.putOf(type, nodes)));
  return { fields: operation.fields, weight: operation.weight, puts };
}

export async function runProgram({ show }: Program, run: PlanRun): Promise<Outcome> {
  let data: Record<string, unknown> | null = null;
  try {
    data = show(undefined, run);
  } catch {
    run.handOver();
  }
  await run.ended();
  if (run.isHandedOver) return null;
  // An error with a path takes the place of a GraphQLError, as in graphql-js.
  const errors = run.errors as readonly Error[] as readonly GraphQLError[];
  return errors.length === 0 ? { data } : { errors, data };
}

/** A member of an object literal; or, where it may have to be awaited, its resolver's result, and what completes it later. */
interface Member {
  readonly now: string;
  readonly later: string | null;
}

/**
 * The code of an operation, function by function: one for each object that is selected from, one for each list. In all of it, `v` is
 * the value at hand, `r` the record or parent, and `run` the execution. Methods throw `Uncovered` for what code cannot cover.
 */
class OperationCode {
  readonly code = new Code();
  /** The fields whose resolvers the code calls, by the index under which it names them. */
  readonly fields: ResolvedField[] = [];
  readonly #schema: GraphQLSchema;
  readonly #fieldsOf: FieldsOf;
  readonly #completions = new Map<string, string>();
  readonly #fail = `${this.code.constant(bad)}()`;

  constructor(schema: GraphQLSchema, fieldsOf: FieldsOf) {
    this.#schema = schema;
    this.#fieldsOf = fieldsOf;
  }

  /** The name of a function that shows fields of the root. One that fails is null, and an error at its path. */
  root(type: GraphQLObjectType, fields: Iterable<readonly [key: string, nodes: Nodes]>): string {
    const [members, settled]: [string[], string[]] = [[], []];
    for (const [key, nodes] of fields) {
      const name = quote(key);
      const isTypename = nodes[0].name.value === '__typename';
      members.push(`${name}: ${isTypename ? quote(type.name) : 'null'}`);
      if (isTypename) continue;
      const index = this.#addField(type, nodes);
      const { definition } = this.fields[index] as ResolvedField;
      // A field that must not be null would take the whole response with it.
      if (isNonNullType(definition.type)) throw new Uncovered();
      settled.push(
        `run.settleRoot(o, ${name}, ${index}, ${this.#completion(this.#resolved(definition.type, nodes))});`,
      );
    }
    return this.#built(members, settled);
  }

  /** The name of a `Put` for a field. */
  putOf(type: GraphQLObjectType, nodes: Nodes): string {
    const { now, later } = this.#member(type, nodes);
    const put = later === null ? `values[i] = ${now};` : `run.settle(values, i, ${now}, ${later});`;
    return this.code.define('r, run, values, i', `let v; ${put}`);
  }

  get weight(): number {
    return this.code.length * bytesPerCharacter + this.fields.length * bytesPerField;
  }

  #addField(type: GraphQLObjectType, nodes: Nodes): number {
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
    const read = `(v = ${this.code.constant(formOf(type).read)}(v)) === undefined`;
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
    const item = this.#resolved(type.ofType, nodes);
    const later = `{ items[i] = null; run.settle(items, i, v, ${this.#completion(item)}); }`;
    return `${this.#list(`if (${this.code.constant(isPromise)}(v)) ${later} else items[i] = ${item};`)}(v, run)`;
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
    return this.#completions.getOrInsertComputed(expression, () => this.code.define('v, run', `return ${expression};`));
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
    const members: string[] = [];
    const settled: string[] = [];
    for (const [key, fieldNodes] of this.#fieldsOf(type, nodes)) {
      const name = quote(key);
      const { now, later } = this.#member(type, fieldNodes);
      members.push(`${name}: ${later === null ? now : 'null'}`);
      if (later !== null) settled.push(`run.settle(o, ${name}, ${now}, ${later});`);
    }
    return this.#built(members, settled);
  }

  /** An object with its members in their order: values that are awaited come later. */
  #built(members: readonly string[], settled: readonly string[]): string {
    const literal = `{ ${members.join(', ')} }`;
    const build = settled.length === 0 ? `return ${literal};` : `const o = ${literal}; ${settled.join(' ')} return o;`;
    return this.code.define('r, run', `let v; ${build}`);
  }

  #member(type: GraphQLObjectType, nodes: Nodes): Member {
    const name = nodes[0].name.value;
    if (name === '__typename') return { now: quote(type.name), later: null };
    const definition = type.getFields()[name];
    if (definition?.resolve === undefined) throw new Uncovered();
    const field = wireFieldOf(definition);
    if (field === undefined) return this.#resolvedMember(type, nodes);
    const value = this.#wire(definition.type, nodes, field.leaf);
    return { now: `(v = r[${quote(field.name)}], ${value})`, later: null };
  }

  #resolvedMember(parent: GraphQLObjectType, nodes: Nodes): Member {
    const index = this.#addField(parent, nodes);
    const { args, definition } = this.fields[index] as ResolvedField;
    const given = args === null ? `run.args(${index})` : this.code.constant(args);
    const result = `${this.code.constant(definition.resolve)}(r, ${given}, run.context, run.info(${index}))`;
    const value = this.#resolved(definition.type, nodes);
    if (isLeafType(getNullableType(definition.type))) return { now: `(v = ${result}, ${value})`, later: null };
    return { now: result, later: this.#completion(value) };
  }
}
