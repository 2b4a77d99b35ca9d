import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { packedPagesBytes, packPagesMs } from '../../bounds.ts';

/**
 * Runs a program of this folder in a process of its own. It gets a value as JSON; the bytes that it writes are returned. Rejects
 * where it fails, and where it takes longer than `packPagesMs`.
 */
export function runProgram(name: string, input: unknown): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const program = fileURLToPath(new URL(name, import.meta.url));
    // The program needs nothing of the environment, which holds secrets.
    const options = { encoding: 'buffer', env: {}, maxBuffer: packedPagesBytes, timeout: packPagesMs } as const;
    const child = execFile(process.execPath, [program], options, (error, output) => {
      if (error === null) resolve(output);
      else reject(error);
    });
    // Where its input cannot be written, the program has failed, and the callback above reports that.
    child.stdin?.on('error', () => {}).end(JSON.stringify(input));
  });
}
