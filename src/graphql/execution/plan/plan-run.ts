import {
  getArgumentValues,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
} from 'graphql';
import { WorkSlices } from '../../../time-slices.ts';
import type { Context, FieldInfo } from '../../context.ts';
import { constantArguments, type Values } from '../../document.ts';
import { FieldFailure } from '../../schema/field-middleware.ts';
import { isPromise } from './code.ts';
import { Uncovered } from './selection.ts';

/** A field whose resolver is called. */
export interface ResolvedField {
  readonly definition: GraphQLField<unknown, unknown>;
  /** In the schema, e.g. `Query.missions`. */
  readonly coordinate: string;
  readonly nodes: readonly [FieldNode, ...FieldNode[]];
  /** Null where variables decide them. */
  readonly args: Values | null;
}

/** What a field takes of the memory, in bytes, roughly, with the arguments that are written in the document. */
export const bytesPerField = 1_024;

/** The field that these nodes select of a type. Throws `Uncovered` where the type has none of that name. */
export function resolvedField(type: GraphQLObjectType, nodes: ResolvedField['nodes']): ResolvedField {
  const definition = type.getFields()[nodes[0].name.value];
  if (definition === undefined) throw new Uncovered();
  const coordinate = `${type.name}.${definition.name}`;
  return { definition, coordinate, nodes, args: constantArguments(definition, nodes[0]) };
}

/** Turns what a resolver returned into its part of the response. Throws where that part holds an error. */
export type Complete = (value: unknown, run: PlanRun) => unknown;

type Target = Record<string | number, unknown>;

/** One execution of a compiled operation: what its functions share, and how many promises they still await. */
export class PlanRun {
  readonly context: Context;
  readonly errors: FieldFailure[] = [];
  isHandedOver = false;
  readonly #fields: readonly ResolvedField[];
  readonly variables: Values;
  readonly #fragments: FieldInfo['fragments'];
  readonly #args: (Values | undefined)[] = [];
  readonly #infos: (FieldInfo | undefined)[] = [];
  #pending = 0;
  readonly #slices = new WorkSlices();
  readonly #later: (() => void)[] = [];
  #isOver = false;
  #end: (() => void) | undefined;

  constructor(
    fields: readonly ResolvedField[],
    fragments: FieldInfo['fragments'],
    context: Context,
    variables: Values,
  ) {
    this.#fields = fields;
    this.#fragments = fragments;
    this.context = context;
    this.variables = variables;
  }

  /** An execution of other fields of the same operation. */
  of(fields: readonly ResolvedField[]): PlanRun {
    return new PlanRun(fields, this.#fragments, this.context, this.variables);
  }

  /** The arguments of a field: read once, however many objects have it. */
  args(index: number): Values {
    const { definition, nodes, args } = this.#fields[index] as ResolvedField;
    return (this.#args[index] ??= args ?? getArgumentValues(definition, nodes[0], this.variables));
  }

  /** What the resolver of a field knows of it. It is the same for all objects that have the field. */
  info(index: number): FieldInfo {
    return (this.#infos[index] ??= {
      fieldNodes: (this.#fields[index] as ResolvedField).nodes,
      fragments: this.#fragments,
      variableValues: this.variables,
    });
  }

  /** Puts a field, or an item of a list, into the response: now, or when its promise is fulfilled. */
  settle(target: Target, key: string | number, value: unknown, complete: Complete): void {
    if (!isPromise(value)) {
      target[key] = complete(value, this);
      return;
    }
    const show = (result: unknown): unknown => (target[key] = complete(result, this));
    this.#wait(value, show, () => this.handOver());
  }

  /** As `settle`, for a field of the root: one that fails is null, and an error at its path. */
  settleRoot(target: Target, key: string, index: number, complete: Complete): void {
    const { definition, coordinate, nodes } = this.#fields[index] as ResolvedField;
    const fail = (error: unknown): void => void this.errors.push(new FieldFailure(error, nodes, [key], coordinate));
    const args = this.args(index);
    let result: unknown;
    try {
      // The types of our resolvers see to it that none asks for the rest.
      result = definition.resolve?.(undefined, args, this.context, this.info(index) as GraphQLResolveInfo);
    } catch (error) {
      return fail(error);
    }
    if (isPromise(result)) this.#wait(result, (value) => (target[key] = complete(value, this)), fail);
    else target[key] = complete(result, this);
  }

  #wait(promise: PromiseLike<unknown>, show: (value: unknown) => unknown, fail: (error: unknown) => void): void {
    this.#pending++;
    promise.then(
      (value) => this.#arrived(() => this.isHandedOver || show(value)),
      (error: unknown) => this.#arrived(() => fail(error)),
    );
  }

  #arrived(act: () => unknown): void {
    try {
      act();
    } catch {
      this.handOver();
    }
    this.#pending--;
    if (this.#pending === 0) this.#end?.();
  }

  /** Whether what is left of a list is to be done later. To be asked behind each item. */
  isOver(): boolean {
    this.#isOver ||= this.#slices.isOver();
    return this.#isOver;
  }

  /** Does the rest of a list when others have had their turn. */
  later(rest: () => void): void {
    if (this.#later.push(rest) > 1) return;
    this.#pending++;
    void this.#slices.rest().then(() => this.#arrived(() => this.#goOn()));
  }

  #goOn(): void {
    this.#isOver = false;
    const waiting = this.#later.splice(0);
    while (waiting.length > 0 && !this.#isOver && !this.isHandedOver) waiting.pop()?.();
    for (const rest of waiting) this.later(rest);
  }

  /** Leaves the rest to the general executor. Fields that are still under way are not completed here. */
  handOver(): void {
    this.isHandedOver = true;
    this.#end?.();
  }

  /** Resolves when all promises are settled, or the compiled path has ended; null where that is so already. */
  ended(): Promise<void> | null {
    if (this.#pending === 0 || this.isHandedOver) return null;
    return new Promise((resolve) => {
      this.#end = resolve;
    });
  }
}
