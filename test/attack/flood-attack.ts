import fc from 'fast-check';
import { talk } from '../hostile/connection.ts';
import { startHostileGateway, type GatewayProcess } from '../hostile/gateway-process.ts';
import type { Attack } from './attack.ts';
import type { Fault } from './fault.ts';
import { gatherHandouts, healthyScript } from './handouts.ts';
import { madeUpKey } from './key.ts';
import { faultsOfProcess, mostKeptMiB } from './process-faults.ts';
import { clientSchema, type Material } from './request-body.ts';
import { strangerRequest } from './stranger-request.ts';
import { createTally } from './tally.ts';
import { describeRequest, wireOf, type StrangerRequest } from './wire.ts';

/** A small request, and the part of it that differs each time. */
export interface Flood {
  readonly request: StrangerRequest;
  readonly varied: 'nothing' | 'the document' | 'the key' | 'a header';
}

export interface FloodAttack extends Attack<Flood>, AsyncDisposable {
  /** How many requests were sent. */
  tally(): Readonly<Record<string, number>>;
}

const mebibyte = 1_048_576;
const largestRequest = 1_500;
const perConnection = 50;
const firstRequests = 300;
const mostRequests = 6_000;
// A request that leaves more than this is sent many more times, to see whether memory grows on.
const suspectBytes = 8_192;
const waitMs = 20_000;

/** Checks that thousands of similar requests leave no more in memory than caches may hold. */
export async function startFloodAttack(preloads: readonly URL[] = []): Promise<FloodAttack> {
  const start = (): Promise<GatewayProcess> =>
    startHostileGateway({ hasPages: true, script: healthyScript(), preloads, env: { SUBSCRIPTION_POLL_MS: '600000' } });
  let gateway = await start();
  const material: Material = { schema: clientSchema(), handouts: await gatherHandouts(gateway.url) };
  const tally = createTally();
  let sent = 0;

  async function send({ request, varied }: Flood, count: number): Promise<void> {
    for (let done = 0; done < count; done += perConnection) {
      const wires = Array.from({ length: perConnection }, () => wireOf(variantOf(request, varied, sent++)));
      const hasBodies = request.method !== 'HEAD';
      await talk(gateway.url, {
        pieces: [Buffer.concat(wires)],
        responses: perConnection,
        hasBodies,
        waitMs,
        streamMs: 200,
      });
    }
    tally.note(`floods of which ${varied} varies`);
  }
  /** In bytes. */
  const kept = async (): Promise<number> => {
    const { heapBytes, externalBytes } = await gateway.read();
    return heapBytes + externalBytes;
  };
  async function flood(input: Flood): Promise<readonly Fault[]> {
    const before = await kept();
    await send(input, firstRequests);
    const each = ((await kept()) - before) / firstRequests;
    if (each < suspectBytes) return [];
    await send(input, Math.min(mostRequests, Math.ceil(((mostKeptMiB + 20) * mebibyte) / each)));
    const keptMiB = Math.round(((await kept()) - before) / mebibyte);
    if (keptMiB <= mostKeptMiB) return [];
    return [{ promise: 'nothing is kept of a request but what caches may hold', detail: `${keptMiB} MiB are kept` }];
  }
  return {
    tally: () => ({ ...tally.read(), 'requests of floods': sent }),
    inputs: fc.record({
      request: strangerRequest(material)
        .map((request): StrangerRequest => ({
          ...request,
          sending: 'whole',
          reading: 'all',
          framing: request.body === null ? 'none' : 'length',
        }))
        .filter((request) => wireOf(request).length <= largestRequest),
      varied: fc.constantFrom<Flood['varied']>('the document', 'the document', 'the key', 'a header', 'nothing'),
    }),
    describe: ({ request, varied }) => `thousands of these, of which ${varied} varies\n${describeRequest(request)}`,
    async run(inputs) {
      const faults: Fault[] = [];
      for (const input of inputs) {
        // A dead process is reported below.
        faults.push(...(await flood(input).catch(() => [])));
        const ofProcess = await faultsOfProcess(gateway);
        faults.push(...ofProcess);
        if (faults.length === 0) continue;
        await gateway[Symbol.asyncDispose]();
        gateway = await start();
      }
      return faults;
    },
    [Symbol.asyncDispose]: async () => gateway[Symbol.asyncDispose](),
  };
}

function variantOf(request: StrangerRequest, varied: Flood['varied'], number: number): StrangerRequest {
  if (varied === 'the key')
    return { ...request, standing: 'made-up key', authorization: `Bearer ${madeUpKey}-${number}` };
  if (varied === 'a header') return { ...request, headers: [...request.headers, ['x-request-id', `flood-${number}`]] };
  if (varied === 'nothing') return request;
  const target = request.target.replace(/([?&]query=[^&]*)/, `$1%23${number}`);
  const body = request.body?.toString('latin1').replace(/"query":"/, `"query":"#${number}\\n`);
  return { ...request, target, body: body === undefined ? null : Buffer.from(body, 'latin1') };
}
