import { setImmediate as immediately, setTimeout as sleep } from 'node:timers/promises';

/** Has the process stand still, as one does that is stopped, or gets no processor. */
export function standStill(milliseconds: number): void {
  for (const until = performance.now() + milliseconds; performance.now() < until;);
}

/** Does something and stands still behind it, between the reading of sockets and the timers of the next turn of the loop. */
export async function actAndStandStill(act: () => void, milliseconds: number): Promise<void> {
  await sleep(50);
  await immediately();
  act();
  standStill(milliseconds);
}
