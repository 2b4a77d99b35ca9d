import { readFile, readlink } from 'node:fs/promises';
import type { Server, Socket } from 'node:net';

/** How far the reader of a connection has come. */
interface Progress {
  /** Bytes that the kernel has taken. */
  readonly taken: number;
  /** Bytes that the reader has acknowledged; null until they have been looked up, and where the system does not know. */
  acknowledged: number | null;
  /** How many checks have found no progress since. */
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
 * Closes each connection whose reader has taken no byte of the waiting data for `timeoutMs`, or up to a quarter longer. A slow
 * reader stays connected, and so does a connection without waiting data: an idle one, or one whose response is not made yet.
 * `count` is called for each connection that is closed. The watch costs requests nothing: it checks all connections four times
 * in each period.
 */
export function closeStalledReaders(server: Server, timeoutMs: number, count: () => void): StallWatch {
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

  /** Finds the connections of which the kernel has taken nothing since the last check. */
  function findSuspects(): readonly Socket[] {
    const suspects: Socket[] = [];
    for (const socket of open) {
      const taken = takenBytes(socket);
      if (socket.writableLength === 0) unread.delete(socket);
      else if (unread.get(socket)?.taken === taken) suspects.push(socket);
      else unread.set(socket, { taken, acknowledged: null, checks: 0 });
    }
    return suspects;
  }

  function examine(socket: Socket, waiting: number | undefined): void {
    const progress = unread.get(socket);
    // The connection was closed meanwhile, or its reader has gone on.
    if (progress?.taken !== takenBytes(socket)) return;
    const before = progress.acknowledged;
    progress.acknowledged = waiting === undefined ? null : progress.taken - waiting;
    const isReading = before !== null && progress.acknowledged !== null && progress.acknowledged !== before;
    progress.checks = isReading ? 0 : progress.checks + 1;
    if (progress.checks < checksPerTimeout) return;
    count();
    // A reset: otherwise the kernel would go on offering the rest for minutes.
    socket.resetAndDestroy();
  }

  async function check(): Promise<void> {
    const suspects = findSuspects();
    if (suspects.length === 0) return;
    const waiting = await waitingBytes(suspects);
    for (const socket of suspects) examine(socket, waiting.get(socket));
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
