import { spawn } from 'node:child_process';
import { root } from './page.ts';

/** The output of a script so far, and how it ended. */
export type Script = ReturnType<typeof runShell>;

/** Runs lines of a page in a folder, in which `npx` finds the project's packages; it stops at the first line that fails. */
export function runShell(lines: string, folder: string) {
  const env = { ...process.env, PATH: `${root}node_modules/.bin:${process.env['PATH'] ?? ''}` };
  const child = spawn('sh', ['-e', '-c', lines], {
    cwd: folder,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.err += text));
  const ending = new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    get out() {
      return output.out;
    },
    get err() {
      return output.err;
    },
    /** The exit code; null where it was stopped. */
    ending,
    /** Ends the script with all that it started. */
    stop: () => {
      // A group of its own: the shell, and the curl that it waits for.
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    },
  };
}
