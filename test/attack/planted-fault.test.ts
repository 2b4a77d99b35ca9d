import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runBatch, type Attack } from './attack.ts';
import type { Fault } from './fault.ts';
import { startFloodAttack } from './flood-attack.ts';
import { startGrowthAttack } from './growth-attack.ts';
import { startStrangerAttack, type StrangerAttack } from './stranger-attack.ts';
import { startUpstreamAttack } from './upstream-attack.ts';

const folder = mkdtempSync(join(tmpdir(), 'planted-fault-'));
const file = join(folder, 'fault');
const preload = new URL(`planted-fault.ts?${encodeURIComponent(file)}`, import.meta.url);
const plant = (fault: string): void => writeFileSync(file, fault);
const mostBatches = 30;
// These tests measure time and memory of a process, on a machine that may be busy with other things.
const patient = { timeout: 240_000, retry: 2 };

let strangers: StrangerAttack;
beforeAll(async () => {
  plant('none');
  strangers = await startStrangerAttack([preload]);
});
afterAll(async () => {
  await strangers[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** All faults that the first batches find, up to the one that is looked for. */
async function found<Input>(attack: Attack<Input>, promise: RegExp, size = 8): Promise<readonly string[]> {
  const faults: Fault[] = [];
  for (let seed = 1; seed <= mostBatches && !faults.some((fault) => promise.test(fault.promise)); seed++)
    faults.push(...(await attack.run(fc.sample(attack.inputs, { seed, numRuns: size }))));
  return faults.map((fault) => fault.promise);
}

test.for([
  ['dies', /the process lives/],
  ['rejects', /no promise is left unhandled|internal error/],
  ['stalls', /the event loop is held/],
  ['calls the upstream without a key', /a request without a key calls nobody/],
  ['spoils responses of others', /the good caller is served/],
  ['asks the upstream for an empty page', /every call of the API is one that its contract has/],
  ['asks the upstream for a reversed range', /every call of the API is one that its contract has/],
  ['takes every method', /a method that is not taken is 405/],
  ['ends the tool calls of others', /the good caller is served/],
  ['reveals the key', /no response reveals a key/],
  ['reveals its inside', /no response reveals the inside/],
  ['fails', /the gateway does not fail/],
  ['responds in a shape of its own', /every response has the interface's shape/],
  ['sends too much', /a stranger gets at most/],
] as const)('the attack finds a gateway that %s', patient, async ([fault, promise]) => {
  plant(fault);
  expect(await found(strangers, promise)).toContainEqual(expect.stringMatching(promise));
});

test('the attack finds a gateway that reckons wrongly', patient, async () => {
  plant('none');
  await using attack = await startUpstreamAttack([preload]);
  plant('reckons wrongly');
  expect(await found(attack, /what is reckoned/)).toContainEqual('what is reckoned agrees with itself');
});

test('the attack finds a gateway whose cost is more than linear', patient, async () => {
  plant('is more than linear');
  await using attack = await startGrowthAttack([preload]);
  const faults = await attack.run([{ place: 'a comment', unit: 'a', odd: '', oddComesFirst: false, key: 'none' }]);
  expect(faults).toMatchObject([{ promise: 'what a request costs is linear in its length' }]);
});

test('the attack finds a gateway that keeps something of each request', patient, async () => {
  plant('keeps');
  await using attack = await startFloodAttack([preload]);
  expect(await found(attack, /nothing is kept/, 1)).toContainEqual(expect.stringMatching('nothing is kept'));
});

test('the attack finds a gateway that keeps something of all requests together', patient, async () => {
  let faults = await strangers.checkMemory();
  expect(faults).toEqual([]);
  plant('keeps');
  for (let seed = 1; seed <= mostBatches && faults.length === 0; seed++) {
    await strangers.run(fc.sample(strangers.inputs, { seed, numRuns: 32 }));
    faults = await strangers.checkMemory(0);
  }
  expect(faults).toMatchObject([{ promise: 'memory comes back' }]);
});

test('a finding names the one request that breaks the promise, as small as it could be made', async () => {
  plant('fails');
  const findings = await runBatch(strangers, { seed: 1, size: 8, shrinkMs: 2_000, known: new Set() });
  const failing = findings.find(({ promise }) => promise === 'the gateway does not fail');
  expect(failing?.reproduction).toMatch(/^\([^)]*\)\nPOST \/graphql HTTP\/1\.1\n/);
  expect(failing?.reproduction.match(/HTTP\/1\.1/g)).toHaveLength(1);
  // A finding that is known is not reported again.
  const known = new Set<string>();
  await runBatch(strangers, { seed: 1, size: 8, shrinkMs: 0, known });
  expect(await runBatch(strangers, { seed: 1, size: 8, shrinkMs: 0, known })).toEqual([]);
});
