import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { describeFailure, runWorlds } from './engine/worlds.ts';
import { findPlanted } from './find-planted.ts';
import { seeds } from './seeds.ts';

const usage = `Usage: npm run world -- [--seconds <n>] [--seed <seed>]… [--first <n>] [--processes <n>] [--long] [--recorded]
       npm run world -- --plant [--fault <name>]… [--seconds <n>]

Runs simulated worlds on all cores: the recorded seeds with --recorded, those given with --seed, and new ones for so many seconds,
long ones of weeks with --long.
A run that breaks a promise is printed with the smallest script that breaks it, and the exit code is 1. With --plant it looks
for the planted faults, writes down what finds each, and names those that were not found; the exit code is 1 then.`;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string' },
    seed: { type: 'string', multiple: true, default: [] },
    first: { type: 'string' },
    processes: { type: 'string' },
    long: { type: 'boolean', default: false },
    recorded: { type: 'boolean', default: false },
    plant: { type: 'boolean', default: false },
    fault: { type: 'string', multiple: true, default: [] },
    help: { type: 'boolean', default: false },
  },
});

const processes = Number(values.processes ?? availableParallelism());
if (values.help) console.log(usage);
else if (values.plant) {
  const seconds = Number(values.seconds ?? 120);
  const notFound = await findPlanted(Number(values.first ?? 1), seconds, values.fault, processes);
  for (const name of notFound) console.log(`NOT FOUND: ${name}`);
  process.exitCode = notFound.length > 0 ? 1 : 0;
} else {
  const given = [...values.seed, ...(values.recorded ? seeds.map(({ seed }) => seed) : [])];
  const seconds = Number(values.seconds ?? (given.length > 0 ? 0 : 60));
  const first = Number(values.first ?? Date.now() % 1_000_000_000);
  console.log(`Seeds ${seconds > 0 ? `from ${first}, for ${seconds} seconds` : given.join(', ')}`);
  const { runs, hours, requests, calls, faults, failed } = await runWorlds({
    worlds: given.map((seed) => ({ seed })),
    seconds,
    first,
    processes,
    isLong: values.long,
    each: (line) => {
      if (line.broken.length > 0) console.log(describeFailure(line));
    },
  });
  console.log(
    `${runs} worlds, ${hours.toFixed(1)} simulated hours, ${requests} requests, ${calls} calls, ${faults} faults of the world, ${failed.length} failed`,
  );
  process.exitCode = failed.length > 0 ? 1 : 0;
}
