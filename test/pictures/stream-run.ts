import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { startFixedSandbox } from '../support/sandbox.ts';
import { startGatewayProgram } from '../support/process.ts';

/** What curl printed before and after a restart of the gateway, line by line, and the id with which it came back. */
export interface StreamRun {
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly lastEventId: string;
}

export const query = 'subscription { webhookDeliveries { status startedAt } }';

/** A new delivery of the sandbox. */
const deliveryMs = 5_000;

/**
 * Follows live deliveries with curl over a restart of the gateway, during which two deliveries come. The sandbox's time is moved by
 * hand, so that each run prints the same. Rejects where a delivery is lost or comes twice.
 */
export async function runStream(): Promise<StreamRun> {
  let count = 0;
  const sandbox = await startFixedSandbox(() => count * deliveryMs);
  const env = { UPSTREAM_BASE_URL: sandbox.baseUrl, LOG_LEVEL: 'info', SUBSCRIPTION_POLL_MS: '250' };
  try {
    await using first = (await startGatewayProgram(env)).program;
    const before = follow(addressOf(first.out));
    await before.printed(/^id: /);
    for (count = 1; count < 3; count++) await before.printed(/^data: .*"startedAt"/, count);
    count -= 1;
    first.kill('SIGTERM');
    await Promise.all([first.ending, before.ended]);
    const lastEventId = before.lines.findLast((line) => line.startsWith('id: '))?.slice(4) ?? '';
    count += 2;
    await using second = (await startGatewayProgram(env)).program;
    const after = follow(addressOf(second.out), lastEventId);
    await after.printed(/^data: .*"startedAt"/, 2);
    count += 1;
    await after.printed(/^data: .*"startedAt"/, 3);
    after.stop();
    await after.ended;
    second.kill('SIGTERM');
    await second.ending;
    const run = { before: before.lines, after: after.lines, lastEventId };
    expectWhole(run);
    return run;
  } finally {
    await sandbox.close();
  }
}

/** When each delivery of the run began, in the order in which they came. */
export function startsOf({ before, after }: Pick<StreamRun, 'before' | 'after'>): readonly string[] {
  return [...before, ...after].flatMap((line) => /"startedAt":"([^"]+)"/.exec(line)?.[1] ?? []);
}

function expectWhole(run: StreamRun): void {
  const starts = startsOf(run).map((text) => Date.parse(text));
  const isWhole = starts.every((start, at) => at === 0 || start - (starts[at - 1] ?? 0) === deliveryMs);
  if (!isWhole || starts.length !== 5)
    throw new Error(`The stream is not whole over the restart: ${startsOf(run).join()}`);
}

function addressOf(log: string): string {
  return /"msg":"Switchboard listens on (http:[^\s"]+)"/.exec(log)?.[1] ?? '';
}

/** Runs curl. `printed` resolves when so many lines match. */
function follow(url: string, lastEventId: string | null = null) {
  const headers = ['Authorization: Bearer sandbox-key', 'Accept: text/event-stream'];
  if (lastEventId !== null) headers.push(`Last-Event-ID: ${lastEventId}`);
  const parts = [
    '-sSN',
    '-G',
    url,
    ...headers.flatMap((header) => ['-H', header]),
    '--data-urlencode',
    `query=${query}`,
  ];
  const child = spawn('curl', parts, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  const lines: string[] = [];
  const reader = createInterface(child.stdout).on('line', (line) => void lines.push(line));
  async function printed(pattern: RegExp, times = 1): Promise<void> {
    const isThere = (): boolean => lines.filter((line) => pattern.test(line)).length >= times;
    const signal = AbortSignal.timeout(20_000);
    while (!isThere()) await once(reader, 'line', { signal });
  }
  return { lines, ended, printed, stop: () => child.kill('SIGTERM') };
}
