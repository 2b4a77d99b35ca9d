import { planCode } from '../../../bounds.ts';
import { Uncovered } from './selection.ts';

/** Collects functions as source text, and the values that they refer to. */
export class Code {
  readonly #constants: unknown[] = [];
  readonly #names = new Map<unknown, string>();
  readonly #functions: string[] = [];
  #length = 0;

  /** In characters, so far. */
  get length(): number {
    return this.#length;
  }

  /** The name by which the code refers to a value. */
  constant(value: unknown): string {
    const known = this.#names.get(value);
    if (known !== undefined) return known;
    const name = `k${this.#constants.push(value) - 1}`;
    this.#names.set(value, name);
    return name;
  }

  /** Adds a function and returns its name; throws `Uncovered` where that makes too much code. */
  define(parameters: string, body: string): string {
    const name = `f${this.#functions.length}`;
    this.#functions.push(`function ${name}(${parameters}) { ${body} }`);
    this.#length += body.length;
    if (this.#length > planCode) throw new Uncovered();
    return name;
  }

  /**
   * The functions of these names, once all are there. The text is made of names that were counted, of what `quote` let pass,
   * and of the tests in leaf.ts.
   */
  link<Linked>(names: readonly string[]): readonly Linked[] {
    const constants = this.#constants.map((_constant, index) => `k${index}`);
    const source = `"use strict"; ${this.#functions.join('\n')}\nreturn [${names.join(', ')}];`;
    // oxlint-disable-next-line no-new-func, typescript/no-implied-eval
    return new Function(...constants, source)(...this.#constants) as Linked[];
  }
}

const identifier = /^[A-Za-z_]\w*$/;

/** A name as a text of the code. Throws for what neither GraphQL nor the wire has for a name: nothing else gets into code. */
export function quote(name: string): string {
  // In an object literal, that one would not be a member like others.
  if (!identifier.test(name) || name === '__proto__') throw new RangeError('This is no name that can stand in code.');
  return JSON.stringify(name);
}
