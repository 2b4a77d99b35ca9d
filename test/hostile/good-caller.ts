import { Agent, request, type OutgoingHttpHeaders } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { ipConnectionRecord, missionRecord } from '../support/records.ts';
import { pageReply, type Reply, type SeenRequest } from '../support/scripted-upstream.ts';

/** The key of the caller who sends good requests while others attack. */
export const goodKey = 'the-key-of-the-good-caller';

/** Far beyond what the query takes, on a machine that is busy with other things too. */
const patienceMs = 15_000;

const rows = [0, 1, 2].map((index) => missionRecord({ mission_id: `mission-${index}`, name: `Mission ${index}` }));
const body = JSON.stringify({ query: 'query Good { missions(first: 2) { totalCount nodes { id name } } }' });
const expected = {
  data: {
    missions: {
      totalCount: 3,
      nodes: [
        { id: 'mission-0', name: 'Mission 0' },
        { id: 'mission-1', name: 'Mission 1' },
      ],
    },
  },
};

const slowMs = 100;
const toolCall = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'find_connections', arguments: {} },
});

/** Whether an upstream call is the good caller's. */
export function isGoodCall({ headers }: Pick<SeenRequest, 'headers'>): boolean {
  return headers.authorization === `Bearer ${goodKey}`;
}

/** The reply of a healthy upstream to the good caller. */
export function goodCallerReply(seen: SeenRequest): Reply {
  return pageReply(isToolCall(seen) ? [ipConnectionRecord({ connection_name: 'Good' })] : rows, seen);
}

/** The same, after so long for a tool that others may interfere. */
export async function goodCallerScript(seen: SeenRequest): Promise<Reply> {
  if (isToolCall(seen)) await wait(slowMs);
  return goodCallerReply(seen);
}

/** Whether an upstream call is that of the good caller's tool. */
export function isToolCall(seen: SeenRequest): boolean {
  return isGoodCall(seen) && seen.path === '/ip_connections';
}

/** Sends the good caller's query over a new connection; null where the response is right and in time, else the fault. */
export function askAsGoodCaller(url: string): Promise<string | null> {
  return send(`${url}/graphql`, {}, body, isExpected);
}

/** Calls a tool as the good caller, by the id that most clients begin with; null where the result is right and in time. */
export function callToolAsGoodCaller(url: string): Promise<string | null> {
  return send(`${url}/mcp`, { accept: 'application/json', host: '127.0.0.1' }, toolCall, isGoodResult);
}

function send(
  url: string,
  given: OutgoingHttpHeaders,
  text: string,
  isRight: (text: string) => boolean,
): Promise<string | null> {
  const agent = new Agent({ keepAlive: false });
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${goodKey}`, 'content-type': 'application/json', ...given };
    const asking = request(url, { method: 'POST', headers, agent, timeout: patienceMs }, (res) => {
      let answer = '';
      res.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk));
      res.once('error', (error) => resolve(`the good caller's answer broke off: ${error.message}`));
      res.once('end', () => resolve(isRight(answer) ? null : `the good caller was told ${answer.slice(0, 500)}`));
    });
    const timer = setTimeout(() => asking.destroy(new Error(`no answer in ${patienceMs} ms`)), patienceMs);
    asking.once('error', (error) => resolve(`the good caller was not served: ${error.message}`));
    asking.once('close', () => clearTimeout(timer));
    asking.end(text);
  });
}

function isGoodResult(text: string): boolean {
  try {
    const { id, result } = JSON.parse(text);
    return id === 1 && result.content[0].text.includes('"connectionName":"Good"');
  } catch {
    return false;
  }
}

function isExpected(text: string): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(text), expected);
  } catch {
    return false;
  }
}
