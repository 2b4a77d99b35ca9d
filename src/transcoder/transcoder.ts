import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';

// What the code exports: its function, and as globals the addresses of its memory and the numbers of its kinds.
interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly transcode: (length: number) => number;
}

interface Engine {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
}

// Node's types do not know it: it is in those of browsers.
const { WebAssembly } = globalThis as unknown as { readonly WebAssembly: Engine };
const module = new WebAssembly.Module(readFileSync(new URL('transcoder.wasm', import.meta.url)));
// By the name of the file of the code that asks for it.
const exported = new WebAssembly.Instance(module, { leaf: { accepts } }).exports;
const { memory, transcode: run } = exported as Exports;

/** A number that the code exports. */
export function numberOf(name: string): number {
  return (exported as Readonly<Record<string, { readonly value: number }>>)[name]?.value ?? NaN;
}

/** The WebAssembly, with the one memory that all of its runs use in turn: six megabytes, taken from the system as far as they are used. */
export const machine = { bytes: Buffer.from(memory.buffer), words: new Uint32Array(memory.buffer), transcode: run };

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
  gaps: numberOf('GAPS'),
  opened: numberOf('OPENED'),
};

const forms: RegExp[] = [];
// As many as there is room for.
const mostForms = (places.result - places.forms) / numberOf('FORM_SIZE');

/** The number of a form of texts. The forms are those of the program, and stay. */
export function numberOfForm(form: RegExp): number {
  const known = forms.indexOf(form);
  if (known >= 0) return known;
  // The code takes texts that differ in digits alone for one.
  if (/\d/.test(form.source.replaceAll(/\\d|\{\d+\}/g, '')))
    throw new SyntaxError('A form tells no digit from others.');
  if (forms.length === mostForms) throw new RangeError('There is no room for this form.');
  // No text is as long as that.
  const place = places.forms + forms.length * numberOf('FORM_SIZE');
  machine.bytes.fill(0xff, place, place + numberOf('FORM_SIZE'));
  return forms.push(form) - 1;
}

/** Whether a text in the memory is of a form. */
function accepts(form: number, from: number, end: number): boolean {
  return forms[form]?.test(machine.bytes.toString('utf8', from, end)) ?? false;
}

/** A body of JSON. */
export interface Body {
  /** In bytes. */
  readonly length: number;
  copyTo(target: Uint8Array, place: number): void;
}

/** What has been made of a body. Nothing of it lies in the memory that the next body will use. */
export interface Transcript {
  /** What is written, in UTF-8. */
  readonly written: Buffer;
  /** Where each row ends in it. The first begins behind one byte, each other one byte behind the one before. */
  readonly ends: Uint32Array;
  /** What is handed out of the rows, one row behind the other: texts, or null. */
  readonly keys: () => readonly (string | null)[];
  /** The places left open, in order, three words for each: where it is in `written`, its number, which of `needs` is its own. */
  readonly gaps: Uint32Array;
  /** What the open places need, an object of members for each. */
  readonly needs: () => readonly object[];
  /** What the open places are filled with, in the order of `needs`: for whoever computes it. */
  readonly values: unknown[];
  /** What is handed out of the body, parsed; undefined where it is not there. */
  readonly member: unknown;
}

/** Longer bodies do not fit. */
const longestBody = places.output - places.input - 1_024;

let lastTables: Buffer | undefined;

/**
 * Writes what tables say of a body to a buffer of just its length, which `lend` gives; null where the body is not as it should be in
 * every respect, or too large: then nothing is written.
 */
export function transcode(body: Body, tables: Buffer, lend: (length: number) => Buffer): Transcript | null {
  const { bytes, words } = machine;
  const { result, ends, keys, input, output, gaps, opened } = places;
  if (body.length > longestBody) return null;
  body.copyTo(bytes, input);
  if (!isUtf8(bytes.subarray(input, input + body.length))) return null;
  if (lastTables !== tables) bytes.set(tables, places.tables);
  lastTables = tables;
  if (machine.transcode(body.length) !== 1) return null;
  const word = (index: number): number => words[result / 4 + index] as number;
  const length = word(0);
  const keyText = bytes.toString('utf8', keys, word(2));
  const needText = word(5) === 0 ? '[]' : bytes.toString('utf8', opened, word(6));
  let keyList: readonly (string | null)[] | undefined;
  const written = lend(length);
  bytes.copy(written, 0, output, output + length);
  const memberAt = input + word(3);
  return {
    written,
    ends: words.slice(ends / 4, ends / 4 + word(1)),
    keys: () => (keyList ??= JSON.parse(keyText || '[]') as readonly (string | null)[]),
    gaps: words.slice(gaps / 4, gaps / 4 + word(5) * 3),
    needs: () => JSON.parse(needText) as readonly object[],
    values: [],
    member: word(4) === 0 ? undefined : JSON.parse(bytes.toString('utf8', memberAt, memberAt + word(4))),
  };
}
