import type { Server, Socket } from 'node:net';
import { takenBytes, waitingBytes } from './kernel-buffers.ts';

/** How far the reader of a connection has come, and how many looks ago that was. */
interface Progress {
  readonly taken: number;
  /** Null until it has been asked for, and where nobody knows. */
  acknowledged: number | null;
  looks: number;
}

/** Who reads the answers of a server. */
export interface StallWatch {
  /** Whether nothing waits for any of them. */
  haveTakenAll(): boolean;
  /** Ends looking at them. */
  leave(): void;
}

// A clock would be wrong for a process that was not run for a while: looks are not made up for.
const looksPerTimeout = 4;

/**
 * Closes each connection whose reader has taken nothing of what waits for it for so many milliseconds, or a quarter of that
 * longer, whatever it is that waits; who reads is not closed, however slowly. Nothing waits on a connection that is idle, or
 * whose answer is not there yet. It costs requests nothing: connections are looked through four times in each period.
 */
export function closeStalledReaders(server: Server, timeoutMs: number, count: () => void): StallWatch {
  const open = new Set<Socket>();
  const unread = new Map<Socket, Progress>();
  let isLooking = false;

  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      unread.delete(socket);
    });
  });

  /** Those of which the kernel has not taken anything since the look before. */
  function findSuspects(): readonly Socket[] {
    const suspects: Socket[] = [];
    for (const socket of open) {
      const taken = takenBytes(socket);
      if (socket.writableLength === 0) unread.delete(socket);
      else if (unread.get(socket)?.taken === taken) suspects.push(socket);
      else unread.set(socket, { taken, acknowledged: null, looks: 0 });
    }
    return suspects;
  }

  function judge(socket: Socket, waiting: number | undefined): void {
    const progress = unread.get(socket);
    // It was closed meanwhile, or its reader has gone on.
    if (progress?.taken !== takenBytes(socket)) return;
    const before = progress.acknowledged;
    progress.acknowledged = waiting === undefined ? null : progress.taken - waiting;
    const isReading = before !== null && progress.acknowledged !== null && progress.acknowledged !== before;
    progress.looks = isReading ? 0 : progress.looks + 1;
    if (progress.looks < looksPerTimeout) return;
    count();
    // A reset, since the kernel would go on offering the rest for minutes.
    socket.resetAndDestroy();
  }

  async function look(): Promise<void> {
    const suspects = findSuspects();
    if (suspects.length === 0) return;
    const waiting = await waitingBytes(suspects);
    for (const socket of suspects) judge(socket, waiting.get(socket));
  }

  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void look().finally(() => (isLooking = false));
  }, timeoutMs / looksPerTimeout).unref();
  return {
    haveTakenAll: () => open.values().every(({ writableLength }) => writableLength === 0),
    leave: () => clearInterval(timer),
  };
}
