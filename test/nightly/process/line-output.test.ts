import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { LineOutput } from '../../../src/telemetry/log.ts';

test('nothing is kept of a write that has ended', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const output = new LineOutput(1, (_descriptor, bytes, done) => done(null, bytes.length));
  const write = async (times: number): Promise<number> => {
    for (let time = 0; time < times; time++) {
      output.write('line\n');
      await new Promise<void>((resolve) => output.flush(resolve));
    }
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = await write(1_000);
  expect((await write(50_000)) - before).toBeLessThan(1_500_000);
});
