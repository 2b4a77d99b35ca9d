import { setTimeout as pause } from 'node:timers/promises';

/** Resolves when a process says that it takes traffic: until its pages are built and its warm-up has ended, it answers 503 at once. */
export async function whenReady(url: string): Promise<void> {
  while ((await fetch(`${url}/ready`)).status !== 200) await pause(20);
}
