import { logDelayMs, logPieceBytes, unwrittenLogBytes } from '../bounds.ts';

/** Where a worker writes its log. */
export interface LogPipe {
  write(line: string): void;
  /** Runs `done` when all lines so far have been taken over. */
  flush(done: () => void): void;
}

/**
 * Sends lines in pieces to the thread that writes the log of the process: writes of several threads would mix their lines. Where
 * that thread does not take them, further lines are dropped.
 */
export function createLogPipe(send: (lines: string) => Promise<void>): LogPipe {
  let piece = '';
  let unsent: NodeJS.Timeout | null = null;
  let onTheWay = 0;
  let taken = Promise.resolve();

  function sendPiece(): void {
    if (unsent !== null) clearTimeout(unsent);
    unsent = null;
    if (piece === '') return;
    const lines = piece;
    piece = '';
    onTheWay += lines.length;
    const settled = (): void => void (onTheWay -= lines.length);
    taken = send(lines).then(settled, settled);
  }

  return {
    write(line) {
      if (onTheWay + piece.length + line.length > unwrittenLogBytes) return;
      piece += line;
      if (piece.length >= logPieceBytes) sendPiece();
      else unsent ??= setTimeout(sendPiece, logDelayMs).unref();
    },
    flush(done) {
      sendPiece();
      void taken.finally(done);
    },
  };
}
