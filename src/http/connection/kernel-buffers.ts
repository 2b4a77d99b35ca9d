import { readFile, readlink } from 'node:fs/promises';
import type { Socket } from 'node:net';

/** What Node keeps to itself of a connection: counted here in bytes, and nothing of it is changed. */
interface Handle {
  readonly fd: number;
  readonly bytesWritten: number;
  readonly writeQueueSize: number;
}

const tables = ['/proc/self/net/tcp', '/proc/self/net/tcp6'];
// A row of such a table: what is not acknowledged yet, in hexadecimal, and the number of the socket.
const row = /^ *\d+: \S+ \S+ \S+ ([0-9A-F]+):\S+ \S+ \S+ +\d+ +\d+ (\d+) /gm;

function handleOf(socket: Socket): Handle | null {
  // Node has no other name for it.
  // oxlint-disable-next-line eslint/no-underscore-dangle
  return (socket as Socket & { readonly _handle: Handle | null })._handle;
}

/** How many bytes the kernel has taken of what was written to a connection; it never gets less. */
export function takenBytes(socket: Socket): number {
  const handle = handleOf(socket);
  return handle === null ? 0 : handle.bytesWritten - handle.writeQueueSize;
}

/**
 * How many bytes of each connection wait in the kernel for its reader; of those that it does not tell, there is no entry. The
 * kernel has room for megabytes, and takes more only when a third of that is free: who reads slowly is seen reading only here.
 * Only Linux tells.
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
