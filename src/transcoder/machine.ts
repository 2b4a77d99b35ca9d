import { readFileSync } from 'node:fs';
import { automatonOf } from './automaton.ts';

// What the code exports: its function, and as globals the addresses of its memory and the numbers of its kinds.
interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly transcode: (length: number) => number;
}

interface Engine {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
}

// Node's types do not know it: it is in those of browsers.
const { WebAssembly } = globalThis as unknown as { readonly WebAssembly: Engine };
const module = new WebAssembly.Module(readFileSync(new URL('transcoder.wasm', import.meta.url)));
const exported = new WebAssembly.Instance(module).exports;
const { memory, transcode } = exported as Exports;

/** A number that the code exports. */
export function numberOf(name: string): number {
  return (exported as Readonly<Record<string, { readonly value: number }>>)[name]?.value ?? NaN;
}

/** The WebAssembly, with the one memory that all of its runs use in turn: six megabytes, taken from the system as far as they are used. */
export const machine = { bytes: Buffer.from(memory.buffer), words: new Uint32Array(memory.buffer), transcode };

/** Where things lie in the memory. */
export const places = {
  forms: numberOf('FORMS'),
  result: numberOf('RESULT'),
  tables: numberOf('TABLES'),
  tablesEnd: numberOf('TABLES_END'),
  ends: numberOf('ENDS'),
  keys: numberOf('KEYS'),
  input: numberOf('INPUT'),
  output: numberOf('OUTPUT'),
};

const forms = new Map<RegExp, number>();
let formsEnd = numberOf('FORMS');

/** Where the automaton of a form stands. The forms are those of the program, and stay. */
export function placeOf(form: RegExp): number {
  const known = forms.get(form);
  if (known !== undefined) return known;
  const automaton = automatonOf(form);
  if (formsEnd + automaton.length > numberOf('FORMS_END')) throw new RangeError('There is no room for this form.');
  const place = formsEnd;
  machine.bytes.set(automaton, place);
  forms.set(form, place);
  formsEnd += automaton.length;
  return place;
}
