import fc from 'fast-check';
import { sendAsStranger } from './batch.ts';
import type { Attack } from './attack.ts';
import { faultsOf, type Fault } from './fault.ts';
import { startHostileGateway, type GatewayProcess } from '../hostile/gateway-process.ts';
import { places, requestAt, type Texture } from './growth-place.ts';
import { madeUpKey, type Credential } from './key.ts';
import { faultsOfProcess } from './process-faults.ts';
import { createTally } from './tally.ts';
import { units } from './text.ts';
import type { StrangerRequest } from './wire.ts';

/** An input that grows: a text at a place, and the key that comes with it. */
export interface Growth {
  readonly place: string;
  /** The text repeats one unit, with one other unit before or behind it. */
  readonly unit: string;
  readonly odd: string;
  readonly oddComesFirst: boolean;
  /** Null where there is no key, or one that is short; else it is made of the same. */
  readonly key: 'none' | 'short' | 'grows';
}

const scales = [1, 4] as const;
const repetitions = 3;
// Four times the input may cost four times as much; more than ten times is no accident.
const mostGrowth = 10;
// A lower cost cannot be distinguished from the noise of a machine, and nobody waits for it.
const leastMs = 80;
const keyLength = 1_000;

const growth: fc.Arbitrary<Growth> = fc.record({
  place: fc.constantFrom(...Object.keys(places)),
  unit: fc.constantFrom('a', ...units),
  odd: fc.constantFrom('', '%', 'b', ...units),
  oddComesFirst: fc.boolean(),
  key: fc.constantFrom('none', 'short', 'grows'),
});

export interface GrowthAttack extends Attack<Growth>, AsyncDisposable {
  /** How many inputs were made larger, and where. */
  tally(): Readonly<Record<string, number>>;
}

/** Checks that the cost of a request that repeats a unit is at most linear in its length, whatever the unit is. */
export async function startGrowthAttack(preloads: readonly URL[] = []): Promise<GrowthAttack> {
  const start = (): Promise<GatewayProcess> => startHostileGateway({ hasPages: true, preloads });
  let gateway = await start();
  const tally = createTally();

  async function costMs(request: StrangerRequest, faults: Fault[]): Promise<number> {
    const before = await gateway.glance();
    faults.push(...faultsOf(request, await sendAsStranger(gateway.url, request)));
    const after = await gateway.glance();
    return (after.cpuSeconds - before.cpuSeconds) * 1_000;
  }

  async function faultsOfGrowth(input: Growth): Promise<readonly Fault[]> {
    const requests = scales.map((scale) => requestOf(input, scale));
    const least = requests.map(() => Number.POSITIVE_INFINITY);
    // What costs too much once may be an accident.
    for (let time = 0; time < repetitions; time++) {
      for (const [index, request] of requests.entries()) {
        const faults: Fault[] = [];
        least[index] = Math.min(least[index] ?? 0, await costMs(request, faults));
        if (faults.length > 0) return faults;
      }
      const [first = 0, last = 0] = least;
      if (last < leastMs || last < first * mostGrowth) return [];
    }
    const detail = `${input.place}: ${least.map((ms, index) => `${scales[index]}× costs ${Math.round(ms)} ms`).join(', ')}`;
    return [{ promise: 'what a request costs is linear in its length', detail }];
  }

  return {
    tally: () => tally.read(),
    inputs: growth,
    describe: (input) => JSON.stringify(input),
    async run(inputs) {
      const faults: Fault[] = [];
      for (const input of inputs) {
        tally.note('inputs that grow');
        // A dead process is reported below.
        faults.push(...(await faultsOfGrowth(input).catch(() => [])));
        const ofProcess = await faultsOfProcess(gateway);
        faults.push(...ofProcess);
        if (ofProcess.length === 0) continue;
        await gateway[Symbol.asyncDispose]();
        gateway = await start();
      }
      return faults;
    },
    [Symbol.asyncDispose]: async () => gateway[Symbol.asyncDispose](),
  };
}

function requestOf({ place, unit, odd, oddComesFirst, key }: Growth, scale: number) {
  const make = places[place];
  if (make === undefined) throw new Error(`There is no place ${place}.`);
  const text: Texture = (bytes) => {
    const run = unit.repeat(Math.floor((bytes - bytesOf(odd)) / bytesOf(unit)));
    return oddComesFirst ? odd + run : run + odd;
  };
  return requestAt(make, text, scale, credentialOf(key, text(keyLength * scale)));
}

/** In a JSON string. */
function bytesOf(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}

function credentialOf(key: Growth['key'], text: string): Credential {
  if (key === 'none') return { standing: 'no key', authorization: null };
  const fit = text.replace(/[^\w\-.~+/]/g, '');
  return { standing: 'made-up key', authorization: `Bearer ${key === 'short' ? madeUpKey : fit}` };
}
