import { zstdDecompressSync } from 'node:zlib';
import { createClient } from 'redis';
import { canariesIn } from '../support/canary.ts';
import type { Redis } from './redis.ts';

/** Everything that a Redis holds: keys, fields and values, as they are stored. */
export async function contentsOf(redis: Redis): Promise<readonly Buffer[]> {
  const keys = (await redis.send('KEYS', '*')) as readonly Buffer[];
  const values = await Promise.all(
    keys.map(async (key) => {
      const type = String(await redis.send('TYPE', key));
      if (type === 'hash') return redis.send('EVAL', "return redis.call('HGETALL', KEYS[1])", '1', key);
      throw new Error(`This test does not know the type ${type}.`);
    }),
  );
  return [...keys, ...buffersIn(values)];
}

function buffersIn(value: unknown): readonly Buffer[] {
  if (Buffer.isBuffer(value)) return [value];
  return Array.isArray(value) ? value.flatMap(buffersIn) : [];
}

/** Records every command that a Redis gets, messages to channels included, as Redis prints them. */
export async function watchCommands(redis: Redis) {
  const lines: string[] = [];
  const client = createClient({ url: redis.url });
  client.on('error', () => {});
  await client.connect();
  await client.monitor((line) => void lines.push(line));
  return { lines, end: () => client.destroy() };
}

const compressed = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

/** Where bytes show a canary in any spelling, compressed or not. */
export function tracesIn(bytes: Buffer, canary: string): readonly string[] {
  const traces = [...canariesIn(bytes.toString('latin1'), canary)];
  for (let at = bytes.indexOf(compressed); at >= 0; at = bytes.indexOf(compressed, at + 1)) {
    try {
      traces.push(...canariesIn(zstdDecompressSync(bytes.subarray(at)).toString('latin1'), canary));
    } catch {
      // Four bytes that look like a beginning by chance.
    }
  }
  return traces;
}
