import { readFile, readlink } from 'node:fs/promises';
import type { Server, Socket } from 'node:net';

/** Bytes of what waits for it that a reader takes in RESPONSE_STALL_TIMEOUT_MS at least: the slowest phone takes ten times that. */
const leastTaken = 16_384;

/** How far the reader of a connection has come. */
interface Progress {
  /** Bytes that the kernel has taken. */
  readonly taken: number;
  /** Bytes that the reader has acknowledged; null until they have been looked up, and where the system does not know. */
  acknowledged: number | null;
  /** How many checks have found too little more since. */
  checks: number;
}

/** The watch over the readers of a server's responses. */
export interface StallWatch {
  /** Whether no connection has bytes that its reader has not taken. */
  haveTakenAll(): boolean;
  /** Ends the watch. */
  stop(): void;
}

// Checks are counted, not milliseconds: a process that was paused for a while must not blame its readers for the time.
const checksPerTimeout = 4;

const tables = ['/proc/self/net/tcp', '/proc/self/net/tcp6'];
// A row of such a table: the number of unacknowledged bytes, in hexadecimal, and the inode of the socket.
const row = /^ *\d+: \S+ \S+ \S+ ([0-9A-F]+):\S+ \S+ \S+ +\d+ +\d+ (\d+) /gm;

/**
 * Closes each connection whose reader has taken less than `least` bytes of the waiting data in `timeoutMs`, or up to a quarter
 * longer. A faster one stays connected, and so does a connection without waiting data: an idle one, or one whose response is not made
 * yet.
 * `count` is called for each connection that is closed. The watch costs requests nothing: it checks all connections four times
 * in each period.
 */
export function closeStalledReaders(
  server: Server,
  timeoutMs: number,
  count: () => void,
  least = leastTaken,
): StallWatch {
  const open = new Set<Socket>();
  const unread = new Map<Socket, Progress>();
  let isChecking = false;

  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      unread.delete(socket);
    });
  });

  /** Finds the connections of which the kernel has taken little since the last check, and what it has taken of each. */
  function findSuspects(): ReadonlyMap<Socket, number> {
    const suspects = new Map<Socket, number>();
    for (const socket of open) {
      const taken = takenBytes(socket);
      const before = unread.get(socket);
      if (socket.writableLength === 0) unread.delete(socket);
      else if (before !== undefined && taken - before.taken < least) suspects.set(socket, taken);
      else unread.set(socket, { taken, acknowledged: null, checks: 0 });
    }
    return suspects;
  }

  function examine(socket: Socket, taken: number, waiting: number | undefined): void {
    const progress = unread.get(socket);
    if (progress === undefined) return;
    // How much the reader has is only known of bytes that have not moved meanwhile.
    if (waiting !== undefined && taken === takenBytes(socket)) {
      const acknowledged = taken - waiting;
      progress.acknowledged ??= acknowledged;
      if (acknowledged - progress.acknowledged >= least) {
        unread.set(socket, { taken, acknowledged, checks: 0 });
        return;
      }
    }
    if (++progress.checks < checksPerTimeout) return;
    count();
    // A reset: otherwise the kernel would go on offering the rest for minutes.
    socket.resetAndDestroy();
  }

  async function check(): Promise<void> {
    const suspects = findSuspects();
    if (suspects.size === 0) return;
    const waiting = await waitingBytes([...suspects.keys()]);
    for (const [socket, taken] of suspects) examine(socket, taken, waiting.get(socket));
  }

  const timer = setInterval(() => {
    if (isChecking) return;
    isChecking = true;
    void check().finally(() => (isChecking = false));
  }, timeoutMs / checksPerTimeout).unref();
  return {
    haveTakenAll: () => open.values().every(({ writableLength }) => writableLength === 0),
    stop: () => clearInterval(timer),
  };
}

/** The part of Node's private handle of a connection that is read here. Nothing of it is changed. */
interface Handle {
  readonly fd: number;
  /** Bytes that were handed to the handle. */
  readonly bytesWritten: number;
  /** Bytes of those that the kernel has not taken. */
  readonly writeQueueSize: number;
}

function handleOf(socket: Socket): Handle | null {
  // Node offers no public name for the handle.
  // oxlint-disable-next-line eslint/no-underscore-dangle
  return (socket as Socket & { readonly _handle: Handle | null })._handle;
}

/** Returns how many bytes written to a connection the kernel has taken. The number never falls. */
function takenBytes(socket: Socket): number {
  const handle = handleOf(socket);
  return handle === null ? 0 : handle.bytesWritten - handle.writeQueueSize;
}

/** Returns how many bytes that are being written to a connection the kernel has not taken. */
export function queuedBytes(socket: Socket): number {
  return handleOf(socket)?.writeQueueSize ?? 0;
}

/**
 * Returns how many bytes of each connection wait in the kernel for its reader. A connection without an entry is unknown; on
 * systems other than Linux, all are. The kernel holds megabytes and takes more only when a third of that is free, so nothing
 * else shows that a slow reader reads.
 */
async function waitingBytes(sockets: readonly Socket[]): Promise<ReadonlyMap<Socket, number>> {
  const [texts, inodes] = await Promise.all([
    Promise.all(tables.map((path) => readFile(path, 'latin1').catch(() => ''))),
    Promise.all(sockets.map(inodeOf)),
  ]);
  const byInode = new Map(sockets.map((socket, index) => [inodes[index], socket]));
  const waiting = new Map<Socket, number>();
  for (const text of texts)
    for (const [, bytes = '', inode] of text.matchAll(row)) {
      const socket = byInode.get(inode);
      if (socket !== undefined) waiting.set(socket, Number.parseInt(bytes, 16));
    }
  return waiting;
}

async function inodeOf(socket: Socket): Promise<string | undefined> {
  const fd = handleOf(socket)?.fd ?? -1;
  const name = await readlink(`/proc/self/fd/${fd}`).catch(() => '');
  return /^socket:\[(\d+)\]$/.exec(name)?.[1];
}
