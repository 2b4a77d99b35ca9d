import { createServer } from 'node:net';
import { onTestFinished } from 'vitest';
import { openRedisStore, StoreObserver } from '../../src/fleet/redis.ts';
import type { ReportStore } from '../../src/fleet/shared-store.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { open as listen } from '../upstream/loopback.ts';

/** A command as it arrived; the first part is its name. */
type Command = readonly Buffer[];

/** The reply to a command, in the language of Redis (RESP3); null for none. */
export type StoreScript = (command: Command) => string | null;

const subscribed = (channel: Buffer, index: number): string =>
  `>3\r\n$9\r\nsubscribe\r\n$${channel.length}\r\n${channel.toString()}\r\n:${index + 1}\r\n`;

/** The replies without which no client would call it a store. */
export function politely(script: StoreScript): StoreScript {
  return (command) => {
    const name = command[0]?.toString().toUpperCase();
    if (name === 'HELLO') return '%1\r\n$5\r\nproto\r\n:3\r\n';
    if (name === 'PING') return '+PONG\r\n';
    if (name === 'SUBSCRIBE') return command.slice(1).map(subscribed).join('');
    return script(command);
  };
}

/** A store on loopback until the test ends. It replies as its script says, at first politely, and not at all to what is asked. */
export async function startScriptedStore(port = 0) {
  let current = politely(() => null);
  const commands: Command[] = [];
  const server = createServer((socket) => {
    let text = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      text = Buffer.concat([text, chunk]);
      for (let read = commandIn(text); read !== null; read = commandIn(text)) {
        text = text.subarray(read.length);
        commands.push(read.command);
        const reply = current(read.command);
        if (reply !== null) socket.write(reply);
      }
    });
  });
  const { origin, connections, close } = await listen(server, port);
  return {
    url: origin.replace('http:', 'redis:'),
    commands,
    /** How many connections are open. */
    get open() {
      return connections.filter(({ destroyed }) => !destroyed).length;
    },
    script(script: StoreScript) {
      current = script;
    },
    close,
  };
}

/** The first command of a text, and its length there; null where it is not whole. */
function commandIn(text: Buffer): { readonly command: Command; readonly length: number } | null {
  let at = 0;
  const line = (): string | null => {
    const end = text.indexOf('\r\n', at);
    if (end < 0) return null;
    const found = text.toString('latin1', at, end);
    at = end + 2;
    return found;
  };
  const count = Number(line()?.slice(1) ?? Number.NaN);
  const command: Buffer[] = [];
  while (command.length < count) {
    const length = Number(line()?.slice(1) ?? Number.NaN);
    if (Number.isNaN(length) || text.length < at + length + 2) return null;
    command.push(text.subarray(at, at + length));
    at += length + 2;
  }
  return count > 0 ? { command, length: at } : null;
}

/** Opens a client of the store at this address, with what it logs and counts, which ends with the test. */
export function open(url: string, now?: () => number) {
  const log: string[] = [];
  const counts: Record<string, number> = {};
  let isUp = (): boolean => false;
  const metrics = {
    countStoreCommand: (feature: string, outcome: string) => {
      counts[`${feature} ${outcome}`] = (counts[`${feature} ${outcome}`] ?? 0) + 1;
    },
    watch: (_gauge: string, read: () => unknown) => void (isUp = () => String(read()) === '1,redis'),
  };
  const written = createLog('debug', { write: (line) => log.push(line) });
  const observer = new StoreObserver(metrics, written, now);
  const store = openRedisStore(url, observer);
  onTestFinished(() => store.close());
  return { store, log, counts, isUp: () => isUp() };
}

/** Asks for everything that waits for a reply. */
export async function askAll({ reports }: { readonly reports: ReportStore }): Promise<readonly unknown[]> {
  return Promise.all(['a', 'b', 'c', 'd'].map((report) => reports.get('caller', report)));
}
/** What comes of that without a store. */
export const nothing = [null, null, null, null];
