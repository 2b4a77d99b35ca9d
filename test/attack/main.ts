import { runCampaign } from './campaign.ts';
import { seedOf } from './seed.ts';

// `npm run attack`: strangers and an upstream do their worst to gateways on loopback for ATTACK_SECONDS (600). It ends with what
// was tried and what was found, and with 1 where a promise was broken.
const seconds = Number(process.env['ATTACK_SECONDS'] ?? 600);
const seed = seedOf(process.env['ATTACK_SEED']);
console.log(`Attacking for ${seconds} s; ATTACK_SEED=${seed} repeats it.`);

const started = performance.now();
const { tally, findings } = await runCampaign({
  seed,
  deadline: started + seconds * 1_000,
  rounds: Number.POSITIVE_INFINITY,
  shrinkMs: 15_000,
  report({ promise, detail, reproduction }) {
    const after = Math.round((performance.now() - started) / 1_000);
    console.log(`\nFound after ${after} s. The promise: ${promise}.\nInstead: ${detail}\nBy ${reproduction}`);
  },
});
console.table(tally);
console.log(findings.length === 0 ? 'Every promise was kept.' : `${findings.length} promises were broken.`);
process.exitCode = findings.length === 0 ? 0 : 1;
