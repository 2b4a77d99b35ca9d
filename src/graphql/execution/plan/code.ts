import type { GraphQLLeafType } from 'graphql';
import { leaves, type Leaf } from '../../schema/scalars.ts';
import { Uncovered } from './selection.ts';

/** Characters of code of one compiled operation: sixty fields have six thousand, fragments spread again and again have no end. */
const planCode = 131_072;

/** Collects functions as source text, and the values that they refer to. */
export class Code {
  /** In characters, so far. */
  length = 0;
  readonly #constants = new Map<unknown, string>();
  readonly #functions: string[] = [];

  /** The name by which the code refers to a value. */
  constant(value: unknown): string {
    return this.#constants.getOrInsertComputed(value, () => `k${this.#constants.size}`);
  }

  /** The name of the function that is added next, by which it may call itself. */
  get nextName(): string {
    return `f${this.#functions.length}`;
  }

  /** Adds a function and returns its name. Throws `Uncovered` where that makes too much code. */
  define(parameters: string, body: string): string {
    const name = this.nextName;
    this.#functions.push(`function ${name}(${parameters}) { ${body} }`);
    this.length += body.length;
    if (this.length > planCode) throw new Uncovered();
    return name;
  }

  /**
   * The functions of these names, once all are defined. The text holds counted names, names that `quote` has accepted, and the tests of
   * scalars.ts; nothing else.
   */
  link<Linked>(names: readonly string[]): readonly Linked[] {
    const source = `"use strict"; ${this.#functions.join('\n')}\nreturn [${names.join(', ')}];`;
    // oxlint-disable-next-line no-new-func, typescript/no-implied-eval
    return new Function(...this.#constants.values(), source)(...this.#constants.keys()) as Linked[];
  }
}

const identifier = /^[A-Za-z_]\w*$/;

/** A name as a string literal of the code. Throws a RangeError for a text that is no name in GraphQL and on the wire. */
export function quote(name: string): string {
  // In an object literal, `__proto__` is not a member like others.
  if (!identifier.test(name) || name === '__proto__') throw new RangeError('This is no name that can stand in code.');
  return JSON.stringify(name);
}

// The general executor finds out which error that is, and where.
const handOver = new Error('A value cannot be shown as it is.');

/** Ends the compiled path, at a value that is not as it should be. */
export function bad(): never {
  throw handOver;
}

/** The value, where it is neither null nor undefined; otherwise the compiled path ends. */
export function some<Value>(value: Value): NonNullable<Value> {
  return value ?? bad();
}

/** Whether a value is a promise, by the rule of graphql-js: any object with a `then`. */
export function isPromise(value: unknown): value is Promise<unknown> {
  return typeof (value as Promise<unknown> | null | undefined)?.then === 'function';
}

/** Code that makes a leaf of the response of `v`, as it stands in a record. */
export function recordLeafCode(code: Code, leaf: Leaf | undefined): string {
  if (leaf === undefined) throw new Uncovered();
  const slowly = `${code.constant(some)}(${code.constant(leaf.read)}(v))`;
  return leaf.code === undefined ? slowly : `${leaf.code} ? v : ${slowly}`;
}

/** Code that makes a leaf of the response of `v`, as a resolver returned it. */
export function resolvedLeafCode(code: Code, type: GraphQLLeafType): string {
  const serialize = `${code.constant(some)}(${code.constant((value: unknown) => type.serialize(value))}(v))`;
  const test = leaves[type.name]?.code;
  // A promise that cannot be awaited here is handled where its resolver returned it.
  const slowly = `v instanceof Error || ${code.constant(isPromise)}(v) ? ${code.constant(bad)}() : ${serialize}`;
  return test === undefined ? slowly : `${test} ? v : ${slowly}`;
}
