import { expect, test } from 'vitest';
import { runCampaign } from './campaign.ts';
import { seedOf } from './seed.ts';
import { runs } from '../support/runs.ts';

const seed = seedOf(process.env['ATTACK_SEED']);
// A quarter of a minute on two cores; it stops where the machine is too busy for that.
const rounds = runs(2);
const mostMs = 90_000;

test(
  `nothing that a stranger or an upstream sends breaks a promise (ATTACK_SEED=${seed})`,
  { timeout: 3 * mostMs },
  async () => {
    const { findings, tally } = await runCampaign({
      seed,
      deadline: performance.now() + mostMs,
      rounds,
      shrinkMs: 5_000,
      report: ({ promise, detail, reproduction }) => console.log([promise, detail, reproduction].join('\n')),
    });
    // Figures to look at.
    console.log(tally);
    expect(findings).toEqual([]);
    expect(tally['requests']).toBeGreaterThan(100);
  },
);
