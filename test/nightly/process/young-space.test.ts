import { expect, test } from 'vitest';
import { startGatewayProgram } from '../../support/process.ts';

test('the room for young objects is as small after the start as before, and grows under load', async () => {
  const preload = new URL('young-space.ts', import.meta.url).href;
  // Nothing asks for the API, and the data of the sandbox would be in the way.
  const env = { NODE_OPTIONS: `--import=${preload}`, UPSTREAM_BASE_URL: 'http://127.0.0.1:9/v2' };
  const { program } = await startGatewayProgram(env);
  await using _ = program;
  program.kill('SIGUSR2');
  const [, before, after] = await program.printed(/young: (\d+), then (\d+)/);
  expect(Number(before)).toBeLessThanOrEqual(4);
  expect(Number(after)).toBeGreaterThanOrEqual(12);
});
