import fc from 'fast-check';
import { signatureOf, type Fault } from './fault.ts';

/** A promise that was broken, and the least that was found to break it. */
export interface Finding extends Fault {
  /** How to repeat it by hand. */
  readonly reproduction: string;
}

/** Something that can be attacked by inputs of a kind, many of them side by side. */
export interface Attack<Input> {
  readonly inputs: fc.Arbitrary<Input>;
  /** Runs all inputs and returns the broken promises; after those of the process it starts a new one. */
  run(inputs: readonly Input[]): Promise<readonly Fault[]>;
  describe(input: Input): string;
}

export interface BatchOptions {
  /** Equal seeds make equal inputs. */
  readonly seed: number;
  /** How many inputs there are. */
  readonly size: number;
  /** How long each finding may be made smaller. */
  readonly shrinkMs: number;
  /** Findings of which no more is wanted, by their signature; new ones are added. */
  readonly known: Set<string>;
}

/** Attacks with one batch; what it found is made as small as can be in the time. */
export async function runBatch<Input>(attack: Attack<Input>, options: BatchOptions): Promise<readonly Finding[]> {
  const { seed, size, known } = options;
  const inputs = fc.sample(fc.tuple(attack.inputs), { seed, numRuns: size }).map(([input]) => input);
  const findings: Finding[] = [];
  for (const fault of await attack.run(inputs)) {
    const signature = signatureOf(fault);
    if (known.has(signature)) continue;
    const finding = await reduce(attack, fault, inputs, options);
    if (finding === null) continue;
    known.add(signature);
    findings.push(finding);
  }
  return findings;
}

// A fault that a busy machine may cause must happen again so many times.
const confirmations = 2;
const mayBeChance = /event loop|is served|is answered|gets at most|linear/;

/** Finds the one input that breaks the promise, and makes it smaller; null for what does not happen again and may be chance. */
async function reduce<Input>(
  attack: Attack<Input>,
  fault: Fault,
  inputs: readonly Input[],
  { seed, shrinkMs }: BatchOptions,
): Promise<Finding | null> {
  const isChance = mayBeChance.test(fault.promise);
  const again = async (some: readonly Input[]): Promise<Fault | null> => {
    for (let time = 0; ; time++) {
      const same = (await attack.run(some)).find((other) => signatureOf(other) === signatureOf(fault)) ?? null;
      if (same === null || !isChance || time === confirmations) return same;
    }
  };
  for (const index of inputs.keys()) {
    let least: Finding | null = null;
    let until = Number.POSITIVE_INFINITY;
    const property = fc.asyncProperty(attack.inputs, async (input) => {
      if (performance.now() > until) return;
      const found = await again([input]);
      if (found === null) return;
      if (least === null) until = performance.now() + shrinkMs;
      least = { ...found, reproduction: attack.describe(input) };
      throw new Error(found.promise);
    });
    await fc.check(property, { seed, path: String(index), numRuns: 1 });
    if (least !== null) return least;
  }
  if (isChance && (await again(inputs)) === null) return null;
  const together = inputs.map((input) => attack.describe(input)).join('\n--- and at the same time\n');
  return { ...fault, reproduction: `No input does it alone.\n${together}` };
}
