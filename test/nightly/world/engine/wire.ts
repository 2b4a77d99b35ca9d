// The world's sockets stand in for Node's own, whose private names Node's servers read.
/* oxlint-disable eslint/no-underscore-dangle */
import { createRequire, syncBuiltinESMExports } from 'node:module';
import type { Server as HttpServer } from 'node:http';
import type { Server } from 'node:net';
import { Duplex } from 'node:stream';
import type { Random } from '../types.ts';
import { createRandom } from './chance.ts';
import { now, owners, real, setWorldTimeout, type Owner } from './time.ts';

/** How a connection carries bytes. */
interface Carriage {
  readonly latencyMs: number;
  /** Into how many parts a write is cut at most. */
  readonly parts: number;
}

/** What listens on a port of the world. */
interface PortOwner {
  readonly accept: (socket: WorldSocket) => void;
  readonly owner: Owner | undefined;
}

const ports = new Map<number, PortOwner>();
/** Ports that nobody reaches: attempts are refused, or nothing comes back. */
const blocked = new Map<number, 'refuse' | 'silence'>();
const open = new Set<WorldSocket>();
let chooseCarriage: (port: number) => Carriage = () => ({ latencyMs: 1, parts: 1 });
let random: Random = createRandom('wire');
let nextPort = 40_000;

type Callback = (error?: Error | null) => void;

function failure(code: string, call: string): Error {
  return Object.assign(new Error(`${call} ${code}`), { code, errno: -1, syscall: call });
}

/** One end of a connection in memory: of `net.Socket` it has what its users touch. */
export class WorldSocket extends Duplex {
  readonly remoteAddress = '127.0.0.1';
  readonly remoteFamily = 'IPv4';
  readonly localAddress = '127.0.0.1';
  connecting = false;
  timeout = 0;
  bytesRead = 0;
  bytesWritten = 0;
  /** The port of the server, at both ends. */
  readonly remotePort: number;
  readonly localPort: number;
  readonly owner: Owner | undefined;
  carriage: Carriage = { latencyMs: 1, parts: 1 };
  /** Read by src/http/connection/stalled-readers.ts. */
  readonly _handle = { fd: -1, bytesWritten: 0, writeQueueSize: 0, readStart() {}, readStop() {} };
  _server: (Server & { _connections: number; _emitCloseIfDrained(): void }) | null = null;
  #peer: WorldSocket | null = null;
  #timer: ReturnType<typeof setWorldTimeout> | null = null;
  #arrived: (Buffer | null)[] = [];
  #isWanted = false;
  #lastArrival = 0;

  constructor(port: number, owner: Owner | undefined) {
    super({ allowHalfOpen: true, highWaterMark: 65_536, emitClose: true });
    this.remotePort = port;
    this.localPort = port;
    this.owner = owner;
    open.add(this);
  }

  get peer(): WorldSocket | null {
    return this.#peer;
  }

  /** Joins two ends. */
  join(peer: WorldSocket, carriage: Carriage): void {
    this.#peer = peer;
    peer.#peer = this;
    this.carriage = carriage;
    peer.carriage = carriage;
  }

  setTimeout(milliseconds: number, run?: () => void): this {
    this.timeout = milliseconds;
    this.#timer?.cancel();
    this.#timer = null;
    if (milliseconds > 0)
      this.#timer = owners.run(this.owner, () => setWorldTimeout(() => this.emit('timeout'), milliseconds));
    if (run !== undefined) this.once('timeout', run);
    return this;
  }

  setNoDelay = (): this => this;
  setKeepAlive = (): this => this;
  ref = (): this => this;
  unref = (): this => this;

  address(): object {
    return { address: '127.0.0.1', family: 'IPv4', port: this.localPort };
  }

  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', () => this.destroy());
  }

  resetAndDestroy(): this {
    this.#peer?.reset();
    return this.destroy();
  }

  /** The other end, or the way, has cut the connection off. */
  reset(): void {
    if (this.destroyed) return;
    // The error comes to this end's own process, whoever has cut it.
    owners.run(this.owner, () => this.destroy(failure('ECONNRESET', 'read')));
  }

  override _read(): void {
    this.#isWanted = true;
    this.#handOver();
  }

  override _write(chunk: Buffer, _encoding: string, done: Callback): void {
    this.#send(chunk, done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: Callback): void {
    this.#send(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  override _final(done: Callback): void {
    if (this.connecting) return void this.once('connect', () => this._final(done));
    this.#deliver(null);
    return done();
  }

  override _destroy(error: Error | null, done: Callback): void {
    open.delete(this);
    this.connecting = false;
    this.setTimeout(0);
    const peer = this.#peer;
    if (this.#arrived.some((part) => part !== null)) peer?.reset();
    else if (!this.writableFinished) this.#deliver(null);
    done(error);
    const server = this._server;
    if (server === null) return;
    server._connections--;
    server._emitCloseIfDrained();
  }

  #send(bytes: Buffer, done: Callback): void {
    this.#touch();
    if (this.connecting) return void this.once('connect', () => this.#send(bytes, done));
    if (this.#peer === null) return done(failure('EPIPE', 'write'));
    if (this.#peer.destroyed) {
      // What is written to an end that is closed comes back as a reset.
      setWorldTimeout(() => this.reset(), this.carriage.latencyMs);
      return done();
    }
    this._handle.bytesWritten += bytes.length;
    this.bytesWritten += bytes.length;
    const { parts } = this.carriage;
    const most = parts > 1 && bytes.length > 1 ? 1 + random.below(Math.min(parts, bytes.length)) : 1;
    const size = Math.ceil(bytes.length / most);
    for (let at = 0; at < bytes.length; at += size) this.#deliver(Buffer.from(bytes.subarray(at, at + size)));
    return done();
  }

  #deliver(part: Buffer | null): void {
    const peer = this.#peer;
    if (peer === null) return;
    const at = Math.max(now() + this.carriage.latencyMs, this.#lastArrival);
    this.#lastArrival = at;
    owners.run(peer.owner, () => setWorldTimeout(() => peer.#arrive(part), Math.max(1, Math.ceil(at - now()))));
  }

  #arrive(part: Buffer | null): void {
    if (this.destroyed) {
      if (part !== null) this.#peer?.reset();
      return;
    }
    this.#touch();
    this.#arrived.push(part);
    this.#handOver();
  }

  #handOver(): void {
    while (this.#isWanted && this.#arrived.length > 0 && !this.destroyed) {
      const part = this.#arrived.shift() as Buffer | null;
      if (part === null) {
        this.#isWanted = false;
        this.push(null);
        return;
      }
      this.bytesRead += part.length;
      this.#isWanted = this.push(part);
    }
  }

  #touch(): void {
    if (this.timeout > 0) this.#timer?.refresh();
  }
}

/** Opens a connection to a port of the world; it fails as a real one would where nothing listens there. */
export function connectTo(port: number, owner: Owner | undefined = owners.getStore()): WorldSocket {
  const client = new WorldSocket(port, owner);
  client.connecting = true;
  const carriage = chooseCarriage(port);
  owners.run(owner, () =>
    setWorldTimeout(() => {
      if (client.destroyed) return;
      const listener = ports.get(port);
      const block = blocked.get(port);
      if (block === 'silence') return;
      if (block === 'refuse' || listener === undefined || listener.owner?.isAlive === false) {
        client.destroy(failure('ECONNREFUSED', 'connect'));
        return;
      }
      const server = new WorldSocket(port, listener.owner);
      client.join(server, carriage);
      client.connecting = false;
      // Nobody hears of a connection that is cut before it is accepted.
      const ignore = (): void => {};
      server.on('error', ignore);
      const accept = (): void => {
        server.off('error', ignore);
        if (!server.destroyed) listener.accept(server);
      };
      owners.run(listener.owner, () => setWorldTimeout(accept, 1));
      client.emit('connect');
      client.emit('ready');
    }, 1 + carriage.latencyMs),
  );
  return client;
}

/** Listens on a port of the world; returns the function that ends it. */
export function listenOn(port: number, accept: (socket: WorldSocket) => void, owner?: Owner): () => void {
  const listener = { accept, owner };
  ports.set(port, listener);
  return () => {
    if (ports.get(port) === listener) ports.delete(port);
  };
}

/** Lets nobody reach a port any more, until null. */
export function blockPort(port: number, block: 'refuse' | 'silence' | null): void {
  if (block === null) blocked.delete(port);
  else blocked.set(port, block);
}

/** Ends a process: its connections are reset, and it hears nothing any more. */
export function killSockets(owner: Owner): void {
  for (const socket of open) {
    if (socket.owner !== owner) continue;
    open.delete(socket);
    socket.peer?.reset();
  }
  for (const [port, listener] of ports) if (listener.owner === owner) ports.delete(port);
}

/** All ends that are open. */
export const openSockets = (): readonly WorldSocket[] => [...open];

/** Begins the wires of a world: no port, no connection. */
export function beginWires(text: string, choose: (random: Random, port: number) => Carriage): void {
  random = createRandom(text);
  chooseCarriage = (port) => choose(random, port);
  ports.clear();
  blocked.clear();
  open.clear();
  nextPort = 40_000;
}

interface FakeHandle {
  close(): void;
  ref(): void;
  unref(): void;
  getsockname(out: Record<string, unknown>): number;
}

/** Listens with one of Node's servers, on a port of its own. */
function listen(this: Server, ...given: unknown[]): Server {
  const port = nextPort++;
  const server = this as unknown as NonNullable<WorldSocket['_server']> & { _handle: FakeHandle | null };
  const owner = owners.getStore();
  const done = given.at(-1);
  if (typeof done === 'function') server.once('listening', done as () => void);
  const stop = listenOn(
    port,
    (socket) => {
      if (server._handle === null) return socket.resetAndDestroy();
      server._connections++;
      socket._server = server;
      return server.emit('connection', socket);
    },
    owner,
  );
  server._handle = {
    close: stop,
    ref() {},
    unref() {},
    getsockname: (out) => (Object.assign(out, { address: '127.0.0.1', family: 'IPv4', port }), 0),
  };
  setWorldTimeout(() => {
    server.emit('listening');
    endSlowSenderCheck(server as unknown as HttpServer);
  }, 1);
  return server;
}

/** Ends Node's own look for slow senders, which counts real time. Tests on real sockets hold it. */
function endSlowSenderCheck(server: HttpServer): void {
  for (const symbol of Object.getOwnPropertySymbols(server))
    if (symbol.description === 'http.server.connectionsCheckingInterval')
      real.clearInterval((server as unknown as Record<symbol, NodeJS.Timeout>)[symbol]);
}

/** Puts the world's wires in the place of the network. */
export function takeWires(): void {
  const net = createRequire(import.meta.url)('node:net') as typeof import('node:net');
  const connect = (options: { port?: number | string } | number): WorldSocket =>
    connectTo(Number(typeof options === 'number' ? options : options.port));
  Object.assign(net, { connect, createConnection: connect });
  Object.assign(net.Server.prototype, { listen });
  syncBuiltinESMExports();
}
