import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { type Ending, listening, type Program, startProgram, whenReady } from '../../support/process.ts';
import { missionRecord } from '../../support/records.ts';
import {
  pageReply,
  refusal,
  startScriptedUpstream,
  type Reply,
  type Script,
  type ScriptedUpstream,
  type SeenRequest,
} from '../../support/scripted-upstream.ts';

export interface GatewayOptions {
  /** Settings, as the environment would give them. */
  readonly env?: Readonly<Record<string, string>>;
  /** The upstream's replies to all but the good caller; 401 without a script. */
  readonly script?: Script;
  /** Another upstream than the scripted one, which then stays unused. */
  readonly upstreamBaseUrl?: string;
  /** How large the heap may grow before the process dies of it. */
  readonly heapMiB?: number;
}

/** The memory of a gateway after a collection of its garbage. */
interface Look {
  readonly heapBytes: number;
  /** Buffers and the like, which stand outside of the heap. */
  readonly externalBytes: number;
  /** Open connections, those to the upstream included. */
  readonly sockets: number;
}

/** What its main thread has computed since it began, and the most in one round of its event loop since the last glance. */
interface Glance {
  readonly computedMs: number;
  readonly longestHoldMs: number;
}

/** A gateway in a process of its own, to be treated badly. One look or glance at a time. */
export interface GatewayProcess extends AsyncDisposable {
  readonly url: string;
  readonly upstream: ScriptedUpstream;
  readonly program: Program;
  /** How the process ended; null while it lives. */
  readonly ended: Ending | null;
  /** Null where the good caller gets the right response in time, else the fault. */
  askAsGoodCaller(): Promise<string | null>;
  look(): Promise<Look>;
  /** The bytes in its heap and outside of it. */
  heldBytes(): Promise<number>;
  glance(): Promise<Glance>;
  /** The value of a metric without labels. */
  metric(name: string): Promise<number>;
  /** The most memory that the process has ever held, in bytes. */
  peakBytes(): number;
}

/** The key of the caller who sends good requests while others do not. */
export const goodKey = 'the-key-of-the-good-caller';
const rows = [0, 1, 2].map((index) => missionRecord({ mission_id: `mission-${index}`, name: `Mission ${index}` }));
const question = JSON.stringify({ query: 'query Good { missions(first: 2) { totalCount nodes { id name } } }' });
const answer =
  '{"data":{"missions":{"totalCount":3,"nodes":[{"id":"mission-0","name":"Mission 0"},{"id":"mission-1","name":"Mission 1"}]}}}';
/** Far beyond what the query takes, on a machine that is busy with other things too. */
const patienceMs = 60_000;

const refuse: Script = () => refusal(401, '10009', 'Authentication failed');

/** The reply of a healthy upstream to the good caller. */
export function goodReply(seen: SeenRequest): Reply {
  return pageReply(rows, seen);
}

/** Starts one before a scripted upstream on loopback, and waits until it has served the good caller. */
export async function startGatewayProcess(options: GatewayOptions = {}): Promise<GatewayProcess> {
  const { env = {}, script = refuse, upstreamBaseUrl, heapMiB = 512 } = options;
  const upstream = await startScriptedUpstream();
  upstream.script((seen) => (seen.headers.authorization === `Bearer ${goodKey}` ? goodReply(seen) : script(seen)));
  const program = startProgram('test/nightly/sockets/watched-gateway.ts', {
    PORT: '0',
    LOG_LEVEL: 'error',
    EXPLORER: 'false',
    UPSTREAM_BASE_URL: upstreamBaseUrl ?? upstream.baseUrl,
    NODE_OPTIONS: `--max-old-space-size=${heapMiB}`,
    ...env,
  });
  let ended: Ending | null = null;
  void program.ending.then((ending) => (ended = ending));
  const [, url = ''] = await program.printed(listening);
  const fault = await askAsGoodCaller(url);
  if (fault !== null) throw new Error(`The gateway does not serve: ${fault}; ${program.err}`);
  // By then the pages are built, which stay in its memory.
  await whenReady(url);
  let prints = 0;
  const printed = async (signal: 'SIGUSR2' | 'SIGCONT'): Promise<unknown> => {
    program.kill(signal);
    const [, json = ''] = await program.printed(new RegExp(`^look ${++prints}: (\\{.*\\})\\n`, 'm'));
    return JSON.parse(json);
  };
  const look = async (): Promise<Look> => (await printed('SIGUSR2')) as Look;
  return {
    url,
    upstream,
    program,
    get ended() {
      return ended;
    },
    askAsGoodCaller: () => askAsGoodCaller(url),
    look,
    async heldBytes() {
      const { heapBytes, externalBytes } = await look();
      return heapBytes + externalBytes;
    },
    glance: async () => (await printed('SIGCONT')) as Glance,
    async metric(name) {
      const text = await (await fetch(`${url}/metrics`)).text();
      return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
    },
    peakBytes() {
      const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${program.pid}/status`, 'utf8')) ?? [];
      return Number(kibibytes) * 1024;
    },
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]();
      await upstream.close();
    },
  };
}

/** Sends the good caller's query over a new connection. */
function askAsGoodCaller(url: string): Promise<string | null> {
  const headers = { authorization: `Bearer ${goodKey}`, 'content-type': 'application/json' };
  const asking = new Promise<string | null>((resolve) => {
    const sent = request(`${url}/graphql`, { method: 'POST', headers, agent: new Agent() }, (res) => {
      let text = '';
      res.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      res.once('error', (error) => resolve(`the answer broke off: ${error.message}`));
      res.once('end', () => resolve(text === answer ? null : `the answer is ${text.slice(0, 500)}`));
    });
    sent.once('error', (error) => resolve(error.message)).end(question);
  });
  return Promise.race([asking, wait(patienceMs, `no answer in ${patienceMs} ms`, { ref: false })]);
}
