import fc from 'fast-check';
import { canariesIn } from '../fuzz/canary.ts';
import { talk, type Heard } from '../hostile/connection.ts';
import { startHostileGateway, type GatewayProcess } from '../hostile/gateway-process.ts';
import { goodKey } from '../hostile/good-caller.ts';
import { rootFields } from '../support/root-fields.ts';
import type { Attack } from './attack.ts';
import { forgottenMs, inside, resultsIn, shapeFaults, type Fault, type Result } from './fault.ts';
import { faultsOfMemory, faultsOfProcess } from './process-faults.ts';
import { startRawUpstream } from './raw-upstream.ts';
import { faultOfReckoning } from './reckoned-fault.ts';
import { createTally } from './tally.ts';
import { describeResponse, isCutOff, upstreamResponse, type UpstreamResponse } from './upstream-response.ts';

/** A request of a good client, and the upstream's response to it. */
export interface UpstreamInput {
  readonly asked: string;
  readonly response: UpstreamResponse;
}

export interface UpstreamAttack extends Attack<UpstreamInput>, AsyncDisposable {
  /** Checks the memory left by all responses; starts a new process where it is too much. */
  checkMemory(waitMs?: number): Promise<readonly Fault[]>;
  /** How many responses were sent, by kind. */
  tally(): Readonly<Record<string, number>>;
}

const csv = '/exports/charges-breakdown.csv?startDate=2026-10-01&endDate=2026-11-01';
const json = 'application/json';
const period = '(startDate: "2026-10-01", endDate: "2026-11-01")';
const queries: readonly string[] = [
  ...rootFields.map(({ selection }) => `{ ${selection} }`),
  '{ ipConnections(first: 500) { totalCount nodes { id tags webhookDeliveries(first: 3) { nodes { id } } outbound { ipAuthenticationToken outboundVoiceProfileId } } pageInfo { endCursor } } }',
  '{ missions(last: 7) { totalCount edges { cursor node { nodeId name metadata createdAt } } } }',
  '{ webhookDeliveries(first: 30) { nodes { id startedAt ipConnection { id } webhook { payload } attempts { errors errorDetails { code } http { request { headers { name value } } response { status body } } } } } }',
  `{ chargesSummary${period} { total { grandTotal } summary { lines { type ... on ServiceLine { amount } } adjustments { amount } } previous { currency } } }`,
  `{ chargesBreakdown${period} { results(first: 500) { totalCount nodes { tn services { cost } } } } chargesBreakdownCsv${period} { content } }`,
  `{ chargesBreakdown${period} { totals { cost byCostType { cost } byServiceOwner { cost } } dearest: results(first: 3, filter: { tn: { contains: "1" } }, orderBy: { field: COST, direction: DESC }) { totalCount nodes { tn cost } } results(last: 3, orderBy: { field: TN }) { nodes { tn cost } } } }`,
  '{ webhookDeliveries(last: 30) { nodes { durationMs attemptCount newestAttempt { durationMs } attempts { durationMs } } } }',
  '{ ipConnections(first: 2) { nodes { webhookDeliveries(last: 2) { totalCount nodes { durationMs } } } } }',
  '{ mission(id: "x") { id } ipConnection(id: "y") { id } webhookDelivery(id: "z") { id } }',
  '{ chargesHistory(startDate: "2026-05-01", endDate: "2026-11-01") @stream(initialCount: 1) { currency } }',
  'subscription { webhookDeliveries { id startedAt } }',
];
/** The queries of a client; a path for what is no GraphQL. */
const asked = [csv, ...queries];

const settings = {
  UPSTREAM_TIMEOUT_MS: '600',
  UPSTREAM_STALL_TIMEOUT_MS: '300',
  OPERATION_TIMEOUT_MS: '2000',
  UPSTREAM_RETRIES: '1',
  UPSTREAM_BREAKER_OPEN_MS: '1',
  UPSTREAM_MAX_BODY_BYTES: '4194304',
  SUBSCRIPTION_POLL_MS: '50',
};

/** A gateway before an upstream that sends any response at all. */
export async function startUpstreamAttack(preloads: readonly URL[] = []): Promise<UpstreamAttack> {
  const upstream = await startRawUpstream();
  const start = (): Promise<GatewayProcess> =>
    startHostileGateway({ preloads, env: settings, upstreamBaseUrl: upstream.baseUrl, heapMiB: 384 });
  let gateway = await start();
  let before = await gateway.read();
  let keys = 0;
  const tally = createTally();

  async function restart(): Promise<void> {
    await gateway[Symbol.asyncDispose]();
    gateway = await start();
    before = await gateway.read();
  }
  async function ask({ asked: what, response }: UpstreamInput): Promise<readonly Fault[]> {
    // A key of its own, so that nothing of it is shared, and nothing is known of it.
    const key = `upstream-victim-number-${keys++}`;
    upstream.responses.set(key, response);
    const heard = await talk(gateway.url, { pieces: [requestOf(what, key)], waitMs: forgottenMs, streamMs: 400 });
    upstream.responses.delete(key);
    return faultsOfClient(what, response, key, heard);
  }
  return {
    tally: () => tally.read(),
    inputs: fc.record({ asked: fc.constantFrom(...asked), response: upstreamResponse }),
    describe: ({ asked: what, response }) => `${what}\nupstream: ${describeResponse(response)}`,
    async run(inputs) {
      for (const { response } of inputs)
        tally.note('upstream responses', `upstream framed: ${response.framing}`, `upstream ${response.end}`);
      upstream.keys.length = 0;
      const faults = (await Promise.all(inputs.map(ask))).flat();
      const strange = upstream.keys.find((key) => !key.startsWith('upstream-victim-') && key !== goodKey);
      if (strange !== undefined)
        faults.push({ promise: 'a request without a key calls nobody', detail: `called with "${strange}"` });
      const ofProcess = await faultsOfProcess(gateway);
      if (ofProcess.length > 0) await restart();
      return [...faults, ...ofProcess];
    },
    async checkMemory(waitMs) {
      const faults = await faultsOfMemory(gateway, before, waitMs);
      if (faults.length > 0) await restart();
      return faults;
    },
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

function requestOf(what: string, key: string): string {
  const head = `host: gateway\r\nauthorization: Bearer ${key}\r\n`;
  if (what === csv) return `GET ${csv} HTTP/1.1\r\n${head}\r\n`;
  const accept = what.startsWith('subscription')
    ? 'text/event-stream'
    : what.includes('@stream')
      ? 'multipart/mixed'
      : json;
  const body = JSON.stringify({ query: what });
  return `POST /graphql HTTP/1.1\r\n${head}accept: ${accept}\r\ncontent-type: ${json}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

// Parts of a response that only the gateway may see.
const secret = new RegExp(`secret-cookie|secret-trailer|aBcD1234|${inside.source}`);

/** The faults of what a client received after such an upstream response; none where all promises were kept. */
export function faultsOfClient(
  what: string,
  sent: UpstreamResponse,
  key: string,
  { responses, begun, end }: Heard,
): readonly Fault[] {
  const response = responses[0] ?? begun;
  if (response === null || response === undefined)
    return [{ promise: 'every request is answered', detail: `${end} without a response` }];
  const { status, headers, body, isWhole } = response;
  const isReport = what === csv && status === 200;
  const text = body.toString('utf8');
  const faults: Fault[] = [];
  if (isWhole && isCutOff(sent) && (isReport || !text.includes('"errors"')))
    faults.push({
      promise: 'a response that is cut off is not reported as whole',
      detail: `${status}: ${text.slice(0, 200)}`,
    });
  // A report is handed through as it is.
  if (isReport) return faults;
  const head = [...headers].map((header) => header.join(': ')).join('\n');
  const leak = secret.exec(`${text}\n${head}`);
  if (leak !== null)
    faults.push({
      promise: "nothing of the upstream's secrets is revealed",
      detail: `${leak[0]}: ${text.slice(0, 300)}`,
    });
  if (what !== csv && status !== 200)
    faults.push({ promise: 'a query that fails is answered', detail: `${status}: ${text.slice(0, 200)}` });
  if (isWhole) faults.push(...shapeFaults(headers.get('content-type') ?? '', text, status));
  const reckoned = reckonedIn(headers.get('content-type') ?? '', text);
  if (reckoned !== null) faults.push({ promise: 'what is reckoned agrees with itself', detail: reckoned });
  const [canary] = canariesIn(`${errorsIn(headers.get('content-type') ?? '', text)}\n${head}`, key);
  if (canary !== undefined) faults.push({ promise: 'no response reveals a key', detail: canary });
  return faults;
}

/** What contradicts itself in the data of a whole response. */
function reckonedIn(type: string, text: string): string | null {
  try {
    const { data } = JSON.parse(text);
    return type.startsWith(json) && data != null ? faultOfReckoning(data) : null;
  } catch {
    // Text that is no JSON is a fault of its own, or comes in pieces.
    return null;
  }
}

/** The text of all errors; data may contain anything of the upstream's. */
function errorsIn(type: string, text: string): string {
  try {
    const results = (resultsIn(type, text) ?? []) as readonly Result[];
    return JSON.stringify(
      results.flatMap(({ errors, incremental = [] }) => [errors, ...incremental.map((piece) => piece.errors)]),
    );
  } catch {
    // Text that is no JSON is a fault of its own.
    return '';
  }
}
