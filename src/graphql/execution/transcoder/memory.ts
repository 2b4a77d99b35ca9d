import { readFileSync } from 'node:fs';

// Where what lies in the memory of the WebAssembly. src/transcoder/assembly/memory.ts has the same numbers.

/** What came of a run, in words of 32 bits. */
export const resultAt = 0x1_0000;
/** The tables of the plan. */
export const tablesAt = 0x1_2000;
export const mostTableBytes = 0x2_0000;
/** For each row six words: where its identifier, its time and what it is shown as stand, each with a length. */
export const rowsAt = 0x4_2000;
export const wordsPerRow = 6;
/** Of so many rows. */
export const mostRowNotes = 1_024;
/** The body. */
export const inputAt = 0x5_0000;
/** The time of each row, in so many bytes; a zero where it is no timestamp as the API writes it. */
export const timesAt = 0x15_2000;
export const bytesPerTime = 32;
export const outputAt = 0x16_0000;

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly transcode: (length: number, firstRow: number, most: number) => number;
}

interface Engine {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
}

/** The WebAssembly, with the one memory that all of its runs use in turn. */
export interface Machine {
  readonly bytes: Buffer;
  readonly words: Uint32Array;
  readonly transcode: Exports['transcode'];
}

let machine: Machine | undefined;

/** Made when it is first asked for; its six megabytes are taken from the system as far as they are used. */
export function theMachine(): Machine {
  return (machine ??= createMachine());
}

function createMachine(): Machine {
  // Node's types do not know it: it is in those of browsers.
  const { WebAssembly } = globalThis as unknown as { readonly WebAssembly: Engine };
  const module = new WebAssembly.Module(readFileSync(new URL('../../../transcoder/transcoder.wasm', import.meta.url)));
  const { memory, transcode } = new WebAssembly.Instance(module).exports as Exports;
  return { bytes: Buffer.from(memory.buffer), words: new Uint32Array(memory.buffer), transcode };
}

/** Fills what bodies leave behind with a text, for whoever wants to know that none of it is ever shown. */
export function poisonMachine(text: string): void {
  const { bytes } = theMachine();
  bytes.fill(text, resultAt, tablesAt);
  bytes.fill(text, tablesAt + mostTableBytes, inputAt + 65_536);
  bytes.fill(text, outputAt, outputAt + 65_536);
}
