import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// In memory where that is to be had: a disk that others keep busy would hold up whoever writes a log.
const memory = '/dev/shm';

/** A folder for this run alone, which goes when it ends. */
export const scratchFolder = mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), 'switchboard-bench-'));

process.once('exit', () => rmSync(scratchFolder, { recursive: true, force: true }));
