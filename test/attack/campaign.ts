import { runBatch, type Attack, type Finding } from './attack.ts';
import type { Fault } from './fault.ts';
import { startFloodAttack } from './flood-attack.ts';
import { startGrowthAttack } from './growth-attack.ts';
import { createOutputAttack } from './output-attack.ts';
import { startStrangerAttack } from './stranger-attack.ts';
import { startUpstreamAttack } from './upstream-attack.ts';

export interface CampaignOptions {
  /** Equal seeds make equal inputs, in the same order. */
  readonly seed: number;
  /** When to stop, by `performance.now()`, and after how many rounds at most. */
  readonly deadline: number;
  readonly rounds: number;
  /** How long each finding may be made smaller. */
  readonly shrinkMs: number;
  /** Told of each finding as it is made. */
  readonly report: (finding: Finding) => void;
  /** Modules that each gateway loads first: faults to be found. */
  readonly preloads?: readonly URL[];
}

/** The tally of all inputs, and the findings. */
export interface Outcome {
  readonly tally: Readonly<Record<string, number>>;
  readonly findings: readonly Finding[];
}

/** Inputs of a batch, and batches of a round: what costs much comes less often. */
const shares = { strangers: [20, 5], growth: [1, 2], floods: [1, 1], upstream: [12, 1] } as const;
// Each collects garbage, and all that was sent since the start counts.
const roundsBetweenMemoryChecks = 5;
// Processes whose output fails begin and end in the same rounds.
const faultyOutputs = 2;

type Checked = Attack<unknown> & { checkMemory?(): Promise<readonly Fault[]> };

/** Runs the attacks of strangers, of growth, of floods and of the upstream, each on its own gateway, and those of failing outputs. */
export async function runCampaign(options: CampaignOptions): Promise<Outcome> {
  const { seed, deadline, rounds, shrinkMs, report, preloads = [] } = options;
  await using strangers = await startStrangerAttack(preloads);
  await using growth = await startGrowthAttack(preloads);
  await using floods = await startFloodAttack(preloads);
  await using upstream = await startUpstreamAttack(preloads);
  const attacks = { strangers, growth, floods, upstream } as unknown as Readonly<Record<keyof typeof shares, Checked>>;
  const outputs = createOutputAttack();
  const known = new Set<string>();
  const findings: Finding[] = [];
  const note = (found: readonly Finding[]): void => {
    findings.push(...found);
    for (const finding of found) report(finding);
  };
  let batches = 0;
  for (let round = 1; round <= rounds && performance.now() < deadline; round++) {
    for (const name of ['strangers', 'growth', 'floods', 'upstream'] as const) {
      const [size, times] = shares[name];
      for (let time = 0; time < times && performance.now() < deadline; time++)
        note(await runBatch(attacks[name], { seed: seed + batches++, size, shrinkMs, known }));
      if (round % roundsBetweenMemoryChecks !== 0) continue;
      const kept = (await attacks[name].checkMemory?.()) ?? [];
      note(kept.map((fault) => ({ ...fault, reproduction: `all that ${name} sent until round ${round}` })));
    }
    if (round % roundsBetweenMemoryChecks === 0 && performance.now() < deadline)
      note(await runBatch(outputs, { seed: seed + batches++, size: faultyOutputs, shrinkMs, known }));
  }
  return { tally: { ...strangers.tally(), ...growth.tally(), ...floods.tally(), ...upstream.tally() }, findings };
}
