import { expect, test } from 'vitest';
import { startGatewayProgram, type Program } from '../support/program.ts';

const storm = 300;

async function blow(program: Program, signals: readonly NodeJS.Signals[]): Promise<void> {
  for (let blown = 0; blown < storm; blown++) {
    for (const signal of signals) program.kill(signal);
    if (blown % 10 === 0) await new Promise(setImmediate);
  }
}

test.each(['1', '2'])(
  'WORKERS=%s: storms of signals that mean nothing change nothing, others stop it once',
  async (WORKERS) => {
    const { program, url } = await startGatewayProgram({ WORKERS });
    await using started = program;
    await blow(started, ['SIGUSR1', 'SIGUSR2', 'SIGPIPE']);
    expect((await fetch(`${url}/health`)).status).toBe(200);
    await blow(started, ['SIGHUP', 'SIGTERM', 'SIGINT', 'SIGUSR2']);
    expect(await started.ending).toEqual([0, null]);
    // A debugger would say that it listens.
    expect(started.err).toBe('');
  },
);

test('the end of its terminal stops it as SIGTERM does', async () => {
  const { program } = await startGatewayProgram();
  await using started = program;
  started.kill('SIGHUP');
  expect(await started.ending).toEqual([0, null]);
});
