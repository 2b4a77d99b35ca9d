import { Agent, request } from 'node:http';
import { faultsOf } from '../fuzz/answer.ts';

/** How a request ended: well, with a fault, left by its own client, cut off by a broken report, or lost. */
export type Outcome = 'answered' | 'faulty' | 'left' | 'broken off' | 'lost';

export interface Ending {
  readonly outcome: Outcome;
  readonly milliseconds: number;
  readonly text: string;
  /** The fault, to be printed. */
  readonly faults: readonly string[];
}

export interface SoakRequest {
  readonly path: string;
  readonly key: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether to check the response as GraphQL. */
  readonly isGraphql?: boolean;
  /** Whether the response may break off in the middle, as a report does that fails. */
  readonly mayBreakOff?: boolean;
  /** Leaves after so many milliseconds. */
  readonly leaveAfterMs?: number;
}

// Beyond every deadline of the gateway: a client without a response by then was forgotten.
const patienceMs = 30_000;

export interface SoakClient {
  send(asked: SoakRequest): Promise<Ending>;
  close(): void;
}

/** A client that keeps connections and notes how each request ended. */
export function createSoakClient(url: string, mostSockets: number): SoakClient {
  const agent = new Agent({ keepAlive: true, maxSockets: mostSockets });
  const send = (asked: SoakRequest): Promise<Ending> =>
    new Promise((resolve) => {
      const started = performance.now();
      const { body, leaveAfterMs } = asked;
      const headers = {
        authorization: `Bearer ${asked.key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...asked.headers,
      };
      const asking = request(url + asked.path, { method: body === undefined ? 'GET' : 'POST', agent, headers });
      const timer = setTimeout(() => asking.destroy(new Error('patience')), leaveAfterMs ?? patienceMs);
      let text = '';
      let hasBegun = false;
      const end = (outcome: Outcome, faults: readonly string[] = []): void => {
        clearTimeout(timer);
        resolve({ outcome, milliseconds: performance.now() - started, text, faults });
      };
      const failed = (error: Error): void => {
        const isOwn = leaveAfterMs !== undefined && error.message !== 'socket hang up';
        if (isOwn || (leaveAfterMs !== undefined && asking.destroyed)) return end('left');
        return end(hasBegun && asked.mayBreakOff === true ? 'broken off' : 'lost', [`${asked.path}: ${error.message}`]);
      };
      asking.once('response', (res) => {
        hasBegun = true;
        res.setEncoding('utf8').on('data', (chunk: string) => {
          if (asked.isGraphql === true) text += chunk;
        });
        res.once('error', failed);
        res.once('end', () => {
          if (asked.isGraphql !== true) return end('answered');
          const type = res.headers['content-type'] ?? '';
          const faults = faultsIn({ status: res.statusCode ?? 0, type, text });
          return end(faults.length === 0 ? 'answered' : 'faulty', faults);
        });
      });
      asking.once('error', failed);
      asking.end(body);
    });
  return { send, close: () => agent.destroy() };
}

function faultsIn(answer: {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}): readonly string[] {
  try {
    return faultsOf(answer, 'application/json');
  } catch (error) {
    return [`${(error as Error).message}: ${answer.text.slice(0, 200)}`];
  }
}
