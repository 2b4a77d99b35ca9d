import { setImmediate as immediately, setTimeout as sleep } from 'node:timers/promises';

const never = new Int32Array(new SharedArrayBuffer(4));

/** Has the thread stand still, as one does that is stopped, or gets no processor. */
export function standStill(milliseconds: number): void {
  Atomics.wait(never, 0, 0, milliseconds);
}

/** Does something and stands still behind it, between the reading of sockets and the timers of the next turn of the loop. */
export async function actAndStandStill(act: () => void, milliseconds: number): Promise<void> {
  await sleep(50);
  await immediately();
  act();
  standStill(milliseconds);
}
