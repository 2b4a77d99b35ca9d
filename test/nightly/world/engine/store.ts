import type { Random, World } from '../types.ts';
import { listenOn, type WorldSocket } from './wire.ts';

export const storePort = 6379;

/** What may be wrong with the store. */
export type StoreFault = 'mute' | 'full' | 'lying' | 'slow' | 'gone' | null;

/** The store that replicas share, as far as they use Redis. */
export interface Store {
  fault: StoreFault;
  /** Cuts all connections off. */
  cut(): void;
  /** Forgets everything, as Redis does when it starts anew without its file. */
  forget(): void;
  close(): void;
}

type Value = null | number | string | Buffer | readonly Value[];
interface Keep {
  value: unknown;
  until: number;
}

class Refusal extends Error {}

/** Serves a Redis in memory. Its scripts are known by a word that each has alone. */
export function serveStore(world: World, random: Random, heard: (command: readonly Buffer[]) => void): Store {
  const data = new Data(world);
  const sockets = new Set<WorldSocket>();
  const channels = new Map<string, Set<WorldSocket>>();
  const state: { fault: StoreFault } = { fault: null };

  const publish = (channel: string, message: Buffer): number => {
    const listeners = [...(channels.get(channel) ?? [])];
    for (const socket of listeners) {
      if (socket.destroyed || state.fault === 'mute') continue;
      // A store that lies leaves messages out, repeats and changes them.
      const sent =
        state.fault === 'lying'
          ? random.pick([[], [message, message], [changed(random, message)], [message]])
          : [message];
      for (const each of sent)
        socket.write(`>3\r\n$7\r\nmessage\r\n${text(Buffer.from(channel))}${text(each)}`, 'latin1');
    }
    return listeners.length;
  };
  const subscribe = (socket: WorldSocket, names: readonly Buffer[], isOn: boolean): void => {
    names.forEach((name, index) => {
      const channel = name.toString();
      const listeners = channels.get(channel) ?? new Set();
      channels.set(channel, listeners);
      if (isOn) listeners.add(socket);
      else listeners.delete(socket);
      const word = isOn ? 'subscribe' : 'unsubscribe';
      socket.write(`>3\r\n$${word.length}\r\n${word}\r\n${text(name)}:${index + 1}\r\n`, 'latin1');
    });
  };
  const answer = (socket: WorldSocket, command: readonly Buffer[]): void => {
    const [name, ...rest] = [command[0]?.toString().toUpperCase(), ...command.slice(1)] as [string, ...Buffer[]];
    if (state.fault === 'mute' || socket.destroyed) return;
    if (name === 'SUBSCRIBE' || name === 'UNSUBSCRIBE') return subscribe(socket, rest, name === 'SUBSCRIBE');
    if (name === 'HELLO') return void socket.write('%1\r\n$5\r\nproto\r\n:3\r\n');
    if (name === 'PING') return void socket.write('+PONG\r\n');
    let reply: string;
    try {
      if (state.fault === 'full' && (name === 'EVAL' || name === 'PUBLISH'))
        throw new Refusal("OOM command not allowed when used memory > 'maxmemory'.");
      const value = data.run(name, rest, publish);
      reply = state.fault === 'lying' && random.chance(0.5) ? lie(random, value) : written(value);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      reply = `-${error.message}\r\n`;
    }
    socket.write(reply, 'latin1');
  };

  const stop = listenOn(storePort, (socket) => {
    if (state.fault === 'gone') return socket.resetAndDestroy();
    sockets.add(socket);
    let bytes = Buffer.alloc(0);
    let repliedAt = 0;
    socket.on('error', () => {});
    socket.on('end', () => socket.end());
    socket.once('close', () => {
      sockets.delete(socket);
      for (const listeners of channels.values()) listeners.delete(socket);
    });
    return socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      for (let read = commandIn(bytes); read !== null; read = commandIn(bytes)) {
        const { command } = read;
        bytes = bytes.subarray(read.length);
        heard(command);
        // Replies come in the order of their commands, however late.
        repliedAt = Math.max(repliedAt, world.now() + (state.fault === 'slow' ? 20 + random.below(60) : 0));
        if (repliedAt > world.now()) world.after(repliedAt - world.now(), () => answer(socket, command));
        else answer(socket, command);
      }
    });
  });
  const cut = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return Object.assign(state, { cut, forget: () => data.forget(), close: () => (stop(), cut()) });
}

/** What is kept, and the commands on it. */
class Data {
  readonly #world: World;
  #kept = new Map<string, Keep>();

  constructor(world: World) {
    this.#world = world;
  }

  forget(): void {
    this.#kept = new Map();
  }

  run(name: string, parts: readonly Buffer[], publish: (channel: string, message: Buffer) => number): Value {
    const key = parts[0]?.toString() ?? '';
    if (name === 'PUBLISH') return publish(key, parts[1] as Buffer);
    if (name === 'HGET') return this.#get<Map<string, Buffer>>(key)?.get(String(parts[1])) ?? null;
    if (name === 'DEL') return this.#kept.delete(key) ? 1 : 0;
    if (name !== 'EVAL') throw new Refusal(`ERR unknown command '${name}'`);
    const count = Number(parts[1]);
    const keys = parts.slice(2, 2 + count).map(String);
    const values = parts.slice(2 + count);
    const [first = ''] = keys;
    if (key.includes('HEXISTS')) return this.#putReport(first, values);
    if (key.includes('HKEYS')) return this.#dropReports(first, values);
    throw new Refusal('ERR unknown script');
  }

  #get<Kind>(key: string): Kind | null {
    const kept = this.#kept.get(key);
    if (kept === undefined) return null;
    if (kept.until > this.#world.now()) return kept.value as Kind;
    this.#kept.delete(key);
    return null;
  }

  #set(key: string, value: unknown, keepMs: number): void {
    this.#kept.set(key, { value, until: this.#world.now() + keepMs });
  }

  #putReport(key: string, values: readonly Buffer[]): 1 {
    const [name, sealed, keepMs, most] = values as [Buffer, Buffer, Buffer, Buffer];
    let reports = this.#get<Map<string, Buffer>>(key) ?? new Map<string, Buffer>();
    if (!reports.has(name.toString()) && reports.size >= Number(most)) reports = new Map();
    reports.set(name.toString(), sealed);
    this.#set(key, reports, Number(keepMs));
    return 1;
  }

  #dropReports(key: string, [beginning]: readonly Buffer[]): 1 {
    const reports = this.#get<Map<string, Buffer>>(key);
    for (const name of reports?.keys() ?? []) if (name.startsWith(String(beginning))) reports?.delete(name);
    return 1;
  }
}

function text(bytes: Buffer): string {
  return `$${bytes.length}\r\n${bytes.toString('latin1')}\r\n`;
}

function written(value: Value): string {
  if (value === null) return '_\r\n';
  if (typeof value === 'number') return `:${value}\r\n`;
  if (typeof value === 'string') return `+${value}\r\n`;
  if (Buffer.isBuffer(value)) return text(value);
  return `*${value.length}\r\n${value.map(written).join('')}`;
}

/** A reply that is not what was asked for: of another kind, empty, or with bytes that were changed. */
function lie(random: Random, value: Value): string {
  const kind = random.below(4);
  if (kind === 0) return ':7\r\n';
  if (kind === 1) return '*0\r\n';
  if (kind === 2) return text(Buffer.from('a text that nobody asked for'));
  const broken = (part: Value): Value => {
    if (Buffer.isBuffer(part)) return changed(random, part);
    return Array.isArray(part) ? (part as readonly Value[]).map(broken) : part;
  };
  return written(broken(value));
}

/** Some bytes, one of which is another. */
function changed(random: Random, bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  if (copy.length > 0) copy[random.below(copy.length)] = random.below(256);
  return copy;
}

/** The first command of some bytes, and its length there; null where it is not whole. */
function commandIn(bytes: Buffer): { readonly command: readonly Buffer[]; readonly length: number } | null {
  let at = 0;
  const number = (): number => {
    const end = bytes.indexOf('\r\n', at);
    if (end < 0) return Number.NaN;
    const found = Number(bytes.toString('latin1', at + 1, end));
    at = end + 2;
    return found;
  };
  const count = number();
  const command: Buffer[] = [];
  while (command.length < count) {
    const length = number();
    if (Number.isNaN(length) || bytes.length < at + length + 2) return null;
    command.push(bytes.subarray(at, at + length));
    at += length + 2;
  }
  return count > 0 ? { command, length: at } : null;
}
