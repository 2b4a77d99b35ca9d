import { PerformanceObserver, constants } from 'node:perf_hooks';
import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises';
import { YoungObjects } from '../../../src/upstream/response/young-objects.ts';

// Prints how often V8 collects young objects while as many come in many ticks, as usual and sooner.

let collections = 0;
const note = (entries: readonly PerformanceEntry[]): void => {
  for (const { detail } of entries as readonly { readonly detail?: unknown }[])
    if ((detail as { readonly kind: number }).kind === constants.NODE_PERFORMANCE_GC_MINOR) collections++;
};
const observer = new PerformanceObserver((list) => note(list.getEntries()));
observer.observe({ entryTypes: ['gc'] });

/** About a hundred megabytes that do not live. */
async function collectionsOf(beforeTick: () => void): Promise<number> {
  collections = 0;
  for (let tick = 0; tick < 400; tick++) {
    beforeTick();
    for (let count = 0; count < 2_000; count++) last = Array.from({ length: 13 }, () => count);
    await nextTick();
  }
  await sleep(10);
  return collections;
}

let last: readonly number[] = [];
// What lives makes V8 give young objects all of their room.
const kept: object[] = [];
for (let count = 0; count < 1_000_000; count++) kept.push({ count });

const young = new YoungObjects();
const usual = await collectionsOf(() => {});
// V8 looks at the share when it has collected.
await collectionsOf(() => young.collectSooner());
const sooner = await collectionsOf(() => young.collectSooner());
console.log(`usual: ${usual}, sooner: ${sooner}, ${kept.length + last.length > 0}`);
