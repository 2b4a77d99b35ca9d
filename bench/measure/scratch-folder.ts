import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// In memory where there is such a folder: a busy disk would slow a contender that writes a log.
const memory = '/dev/shm';

/** A folder for this run, deleted when the run ends. */
export const scratchFolder = mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), 'switchboard-bench-'));

process.once('exit', () => rmSync(scratchFolder, { recursive: true, force: true }));
