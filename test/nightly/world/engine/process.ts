import { takeEntropy } from './entropy.ts';
import { takeTime } from './time.ts';
import { takeWires } from './wire.ts';

// A process that runs worlds, as its one argument says; it writes a line of JSON for each. Before anything of the gateway is loaded, since
// undici and others keep what they find:
takeTime();
takeEntropy();
takeWires();
const { serveRuns } = await import('./serve-runs.ts');
await serveRuns(JSON.parse(process.argv[2] ?? '{}'));
process.exit(0);
