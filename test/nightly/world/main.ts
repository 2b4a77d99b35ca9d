import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { describeFailure, runWorlds } from './engine/worlds.ts';
import { seeds } from './seeds.ts';

const usage = `Usage: npx node test/nightly/world/main.ts [--seconds <n>] [--first <n>] [--seed <seed>]… [--recorded] [--processes <n>] [--trace]

Runs simulated worlds on all cores: the recorded ones with --recorded, those given with --seed, and new ones for so many seconds.
A run that breaks a promise is printed with the smallest script that breaks it, and the exit code is 1.
--trace writes all that happens to standard error.`;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string' },
    first: { type: 'string' },
    seed: { type: 'string', multiple: true, default: [] },
    recorded: { type: 'boolean', default: false },
    processes: { type: 'string', default: String(availableParallelism()) },
    trace: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

async function run(): Promise<void> {
  const worlds = [...values.seed.map((seed) => ({ seed })), ...(values.recorded ? seeds : [])];
  const seconds = Number(values.seconds ?? (worlds.length > 0 ? 0 : 60));
  const first = Number(values.first ?? Date.now() % 1_000_000_000);
  console.log(`${worlds.length} given worlds${seconds > 0 ? `, then seeds from ${first} for ${seconds} seconds` : ''}`);
  const lines = await runWorlds({
    worlds,
    seconds,
    first,
    processes: Number(values.processes),
    shrinkSeconds: 30,
    isTraced: values.trace,
    each: (line) => line.broken.length > 0 && console.log(describeFailure(line)),
  });
  const sum = (of: 'hours' | 'requests' | 'calls'): number => lines.reduce((total, line) => total + line[of], 0);
  const failed = lines.filter(({ broken }) => broken.length > 0).length;
  console.log(
    `${lines.length} worlds, ${sum('hours').toFixed(1)} simulated hours, ${sum('requests')} requests, ${sum('calls')} calls, ${failed} failed`,
  );
  const tally = new Map<string, number>();
  for (const [name, count] of lines.flatMap((line) => Object.entries(line.tally)))
    tally.set(name, (tally.get(name) ?? 0) + count);
  console.log([...tally].map(([name, count]) => `${count} ${name}`).join(', '));
  process.exitCode = failed > 0 ? 1 : 0;
}

if (values.help) console.log(usage);
else await run();
