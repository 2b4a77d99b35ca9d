import { readFile, readlink } from 'node:fs/promises';
import type { Socket } from 'node:net';

/** The part of Node's private handle of a connection that is read here. Nothing of it is changed. */
interface Handle {
  readonly fd: number;
  /** Bytes that were handed to the handle. */
  readonly bytesWritten: number;
  /** Bytes of those that the kernel has not taken. */
  readonly writeQueueSize: number;
}

const tables = ['/proc/self/net/tcp', '/proc/self/net/tcp6'];
// A row of such a table: the number of unacknowledged bytes, in hexadecimal, and the inode of the socket.
const row = /^ *\d+: \S+ \S+ \S+ ([0-9A-F]+):\S+ \S+ \S+ +\d+ +\d+ (\d+) /gm;

function handleOf(socket: Socket): Handle | null {
  // Node offers no public name for the handle.
  // oxlint-disable-next-line eslint/no-underscore-dangle
  return (socket as Socket & { readonly _handle: Handle | null })._handle;
}

/** Returns how many bytes written to a connection the kernel has taken. The number never falls. */
export function takenBytes(socket: Socket): number {
  const handle = handleOf(socket);
  return handle === null ? 0 : handle.bytesWritten - handle.writeQueueSize;
}

/**
 * Returns how many bytes of each connection wait in the kernel for its reader. A connection without an entry is unknown; on
 * systems other than Linux, all are. The kernel holds megabytes and takes more only when a third of that is free, so nothing
 * else shows that a slow reader reads.
 */
export async function waitingBytes(sockets: readonly Socket[]): Promise<ReadonlyMap<Socket, number>> {
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
