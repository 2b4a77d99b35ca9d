import { spawnSync } from 'node:child_process';

/** Whether Prometheus' own tool is installed (Debian: `prometheus`). Tests that need it say so where it is not. */
export const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

/** Runs the tool with a text as its input; returns what it has to say, which is empty where it finds nothing. */
export function promtool(
  args: readonly string[],
  input = '',
): { readonly status: number | null; readonly said: string } {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8', timeout: 30_000 });
  return { status, said: stdout + stderr };
}
