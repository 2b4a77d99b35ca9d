import { talk, type Heard } from '../hostile/connection.ts';
import { faultOfCall } from './call-fault.ts';
import { faultsOf, forgottenMs, isOwedAnAnswer, type Fault } from './fault.ts';
import type { GatewayProcess } from '../hostile/gateway-process.ts';
import { goodKey } from '../hostile/good-caller.ts';
import { strangersKey } from './key.ts';
import { wireOf, type StrangerRequest } from './wire.ts';

// A stream goes on until its client leaves; a client that does not send or read everything waits for nothing.
const streamMs = 200;
const partialMs = 150;

/** Sends a request as it is to be sent; resolves with what came back. */
export function sendAsStranger(url: string, request: StrangerRequest): Promise<Heard> {
  const wire = wireOf(request);
  const half = Math.floor(wire.length / 2);
  const pieces: Readonly<Record<StrangerRequest['sending'], readonly Buffer[]>> = {
    whole: [wire],
    'in halves': [wire.subarray(0, half), wire.subarray(half)],
    half: [wire.subarray(0, half)],
    'twice at once': [Buffer.concat([wire, wire])],
    'many at once': [Buffer.concat(Array<Buffer>(wire.length > 10_000 ? 5 : 50).fill(wire))],
  };
  return talk(url, {
    pieces: pieces[request.sending],
    reading: request.reading,
    hasBodies: request.method !== 'HEAD',
    waitMs: isOwedAnAnswer(request) ? forgottenMs : partialMs,
    streamMs,
  });
}

/** Sends requests side by side, and returns the promises that their responses and their upstream calls broke. */
export async function sendAll(gateway: GatewayProcess, requests: readonly StrangerRequest[]): Promise<Fault[]> {
  gateway.upstream.requests.length = 0;
  const heard = await Promise.all(requests.map((request) => sendAsStranger(gateway.url, request)));
  const faults = requests.flatMap((request, index) => faultsOf(request, heard[index] as Heard));
  return [...faults, ...callFaults(gateway, requests)];
}

/** Calls of nobody, of keys that were given by nobody, and such as the contract does not have. */
function callFaults({ upstream }: GatewayProcess, requests: readonly StrangerRequest[]): readonly Fault[] {
  const given = new Set([
    goodKey,
    strangersKey,
    ...requests.map(({ authorization }) => authorization?.split(/\s+/)[1] ?? ''),
  ]);
  given.delete('');
  const unsound = upstream.requests.flatMap((call) => faultOfCall(call) ?? []);
  const strange = upstream.requests.filter(
    ({ headers }) => !given.has(headers.authorization?.replace(/^Bearer /, '') ?? ''),
  );
  return [
    ...strange.slice(0, 1).map(({ path, headers }) => ({
      promise: 'a request without a key calls nobody',
      detail: `${path} was called with the key "${headers.authorization ?? ''}"`,
    })),
    ...unsound.slice(0, 1).map((detail) => ({ promise: 'every call of the API is one that its contract has', detail })),
  ];
}
