import { request, type Agent, type IncomingMessage } from 'node:http';
import type { TestContext } from 'vitest';
import { startGatewayProgram, startProgram, type Program } from '../support/program.ts';
import { startScriptedUpstream, type Script, type ScriptedUpstream } from '../support/scripted-upstream.ts';

type CleanUp = TestContext['onTestFinished'];
type Environment = Readonly<Record<string, string>>;

/** A gateway of several workers before a scripted upstream. */
export interface WorkersUnderTest {
  readonly program: Program;
  readonly url: string;
  readonly upstream: ScriptedUpstream;
  /** The value of a metric without labels, or of a line of one with them. */
  readonly metric: (line: string) => Promise<number>;
}

export const seven: Script = () => ({ json: { data: [{ mission_id: 'a' }], meta: { total_results: 7 } } });
export const sevenText = '{"data":{"missions":{"totalCount":7}}}';

const preload = `--import=${new URL('fault.ts', import.meta.url).href}`;

/** Starts one with planted faults (fault.ts). */
export async function startWorkers(
  cleanUp: CleanUp,
  env: Environment = {},
  script = seven,
  options: readonly string[] = [],
): Promise<WorkersUnderTest> {
  const upstream = await startScriptedUpstream();
  cleanUp(() => upstream.close());
  upstream.script(script);
  const { program, url } = await startGatewayProgram({
    WORKERS: '2',
    // Keys that nobody has accepted share a quarter, and tests ask with many at once.
    UPSTREAM_MAX_CONCURRENCY: '2000',
    UPSTREAM_BASE_URL: upstream.baseUrl,
    NODE_OPTIONS: [preload, ...options].join(' '),
    ...env,
  });
  cleanUp(() => program[Symbol.asyncDispose]());
  return { program, url, upstream, metric: (line) => metricAt(url, line) };
}

/** Starts the program and does not wait for it. */
export function startUnready(cleanUp: CleanUp, env: Environment): Program {
  const program = startProgram('src/main.ts', { PORT: '0', EXPLORER: 'false', NODE_OPTIONS: preload, ...env });
  cleanUp(() => program[Symbol.asyncDispose]());
  return program;
}

/** The value of a metric of the gateway at an address; NaN where it is not there. */
export async function metricAt(url: string, line: string): Promise<number> {
  const { text } = await get(`${url}/metrics`);
  const found = text.split('\n').find((one) => one.startsWith(`${line} `));
  return Number(found?.slice(line.length + 1) ?? NaN);
}

/** A response, or how the connection failed. */
export interface Outcome {
  readonly status: number;
  readonly text: string;
}

/**
 * Sends a request, without an agent over a connection of its own, so that the system chooses a worker. Status 0: the connection
 * failed; `refused` where it was a new one of an agent, with which no request is lost.
 */
export function get(url: string, key = 'test-key', agent: Agent | false = false): Promise<Outcome> {
  return new Promise((resolve) => {
    const failed = (error: NodeJS.ErrnoException): void => {
      const isNew = agent !== false && !asking.reusedSocket;
      resolve({ status: 0, text: isNew ? 'refused' : (error.code ?? error.message) });
    };
    const answered = (res: IncomingMessage): void => {
      let text = '';
      res.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      res.once('error', failed).once('end', () => resolve({ status: res.statusCode ?? 0, text }));
    };
    const asking = request(url, { agent, headers: { authorization: `Bearer ${key}` } }, answered);
    asking.once('error', failed).end();
  });
}

/** The address of a query that takes one call. */
export function missionsAt(url: string): string {
  return `${url}/graphql?query={missions(first:1){totalCount}}`;
}
