import type { Caller } from '../caller.ts';
import type { Hold } from './wire-response.ts';

/** Gives memory back once a body has been read: that of its bytes at once, all of it after those who wait have held it. */
export async function releasing<Body>(hold: Hold | undefined, reading: Promise<Body>): Promise<Body> {
  if (hold === undefined) return reading;
  try {
    const body = await reading;
    hold.read();
    return body;
  } finally {
    releaseLater(hold);
  }
}

/** Those who wait for the body run first, and hold it for themselves. */
export function releaseLater(hold: Hold): void {
  setImmediate(() => hold.release());
}

/** Holds a body until its caller no longer needs it. */
export function holdFor({ whenExecuted, signal }: Caller, hold: Hold): void {
  if (whenExecuted === undefined || signal.aborted) return;
  hold.share();
  whenExecuted(() => hold.release());
}
