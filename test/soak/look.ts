import type { Program } from '../support/program.ts';

/** The memory of the gateway's process after a garbage collection, and its delays since the last look. */
export interface Look {
  readonly heapUsed: number;
  readonly external: number;
  readonly rss: number;
  readonly sockets: number;
  readonly longestDelayMs: number;
  readonly p99DelayMs: number;
}

/** Looks into a gateway that was started as test/soak/gateway.ts; one look at a time. */
export async function look(gateway: Program): Promise<Look> {
  const [, last = 0] = [...gateway.out.matchAll(/^look (\d+):/gm)].at(-1) ?? [];
  gateway.kill('SIGUSR2');
  const [, json = '{}'] = await gateway.printed(new RegExp(`^look ${Number(last) + 1}: (\\{.*\\})\\n`, 'm'));
  return JSON.parse(json) as Look;
}
