import type { GraphQLResolveInfo } from 'graphql';
import { WorkSlices } from '../../../work-slices.ts';
import type { Context } from '../../context.ts';
import { FieldFailure } from '../field-failure.ts';
import type { FieldInfo } from '../field-info.ts';
import type { ResolvedField } from './resolved-field.ts';
import { isPromise } from './value-check.ts';
import { ResultLog } from './results.ts';

/** Turns what a resolver returned into its part of the response. Throws where that part holds an error. */
export type Complete = (value: unknown, run: Run) => unknown;

type Target = Record<string | number, unknown>;

/** One execution of a compiled operation: what its functions share, and how many promises they still await. */
export class Run {
  readonly context: Context;
  readonly errors: FieldFailure[] = [];
  readonly results = new ResultLog();
  isHandedOver = false;
  readonly #fields: readonly ResolvedField[];
  readonly variables: Readonly<Record<string, unknown>>;
  readonly #fragments: FieldInfo['fragments'];
  readonly #args: (Readonly<Record<string, unknown>> | undefined)[] = [];
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
    variables: Readonly<Record<string, unknown>>,
  ) {
    this.#fields = fields;
    this.#fragments = fragments;
    this.context = context;
    this.variables = variables;
  }

  /** An execution of other fields of the same operation. */
  of(fields: readonly ResolvedField[]): Run {
    return new Run(fields, this.#fragments, this.context, this.variables);
  }

  /** The arguments of a field: read once, however many objects have it. */
  args(index: number): Readonly<Record<string, unknown>> {
    return (this.#args[index] ??= (this.#fields[index] as ResolvedField).readArguments(this.variables));
  }

  /** What the resolver of a field knows of it. It is the same for all objects that have the field. */
  info(index: number): FieldInfo {
    return (this.#infos[index] ??= {
      fieldNodes: (this.#fields[index] as ResolvedField).nodes,
      fragments: this.#fragments,
      variableValues: this.variables,
    });
  }

  /** Notes what a field's resolver returned for an object, where that is a promise; returns it. */
  note(source: unknown, index: number, result: unknown): unknown {
    if (isPromise(result)) this.results.note(source, (this.#fields[index] as ResolvedField).nodes[0], result);
    return result;
  }

  /** Puts a field, or an item of a list, into the response: now, or when its promise is fulfilled. */
  settle(target: Target, key: string | number, value: unknown, complete: Complete): void {
    if (!isPromise(value)) {
      target[key] = complete(value, this);
      return;
    }
    this.#wait(
      value,
      (result) => {
        target[key] = complete(result, this);
      },
      () => this.handOver(),
    );
  }

  /** As `settle`, for a field of the root: one that fails is null, and an error at its path. */
  settleRoot(target: Target, key: string, index: number, complete: Complete): void {
    const { definition, coordinate, nodes } = this.#fields[index] as ResolvedField;
    const fail = (error: unknown): void => {
      this.errors.push(new FieldFailure(error, nodes, [key], coordinate));
    };
    const args = this.args(index);
    let result: unknown;
    try {
      // The types of our resolvers see to it that none asks for the rest.
      result = definition.resolve?.(undefined, args, this.context, this.info(index) as GraphQLResolveInfo);
    } catch (error) {
      return fail(error);
    }
    this.results.note(undefined, nodes[0], result);
    const show = (value: unknown): void => {
      target[key] = complete(value, this);
    };
    return isPromise(result) ? this.#wait(result, show, fail) : show(result);
  }

  /** Notes an item of a list of the root that has failed: it is null, and an error at its path. */
  failItem(index: number, key: string, item: number, error: unknown): void {
    const { coordinate, nodes } = this.#fields[index] as ResolvedField;
    this.errors.push(new FieldFailure(error, nodes, [key, item], coordinate));
  }

  #wait(promise: PromiseLike<unknown>, show: (value: unknown) => void, fail: (error: unknown) => void): void {
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
