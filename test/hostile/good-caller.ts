import { Agent, request } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { missionRecord } from '../support/records.ts';
import { pageReply, type Reply, type SeenRequest } from '../support/scripted-upstream.ts';

/** The key of the caller who sends good requests while others attack. */
export const goodKey = 'the-key-of-the-good-caller';

/** Far beyond what the query takes, on a machine that is busy with other things too. */
const patienceMs = 5_000;

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

/** Whether an upstream call is the good caller's. */
export function isGoodCall({ headers }: Pick<SeenRequest, 'headers'>): boolean {
  return headers.authorization === `Bearer ${goodKey}`;
}

/** The reply of a healthy upstream to the good caller. */
export function goodCallerReply(seen: SeenRequest): Reply {
  return pageReply(rows, seen);
}

/** Sends the good caller's query over a new connection; null where the response is right and in time, else the fault. */
export function askAsGoodCaller(url: string): Promise<string | null> {
  const agent = new Agent({ keepAlive: false });
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${goodKey}`, 'content-type': 'application/json' };
    const asking = request(`${url}/graphql`, { method: 'POST', headers, agent, timeout: patienceMs }, (res) => {
      let text = '';
      res.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      res.once('error', (error) => resolve(`the good caller's answer broke off: ${error.message}`));
      res.once('end', () => resolve(isExpected(text) ? null : `the good caller was told ${text.slice(0, 500)}`));
    });
    const timer = setTimeout(() => asking.destroy(new Error(`no answer in ${patienceMs} ms`)), patienceMs);
    asking.once('error', (error) => resolve(`the good caller was not served: ${error.message}`));
    asking.once('close', () => clearTimeout(timer));
    asking.end(body);
  });
}

function isExpected(text: string): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(text), expected);
  } catch {
    return false;
  }
}
