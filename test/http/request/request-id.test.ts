import { expect, testOfFile as test } from '../../support/gateway.ts';
import { refusal } from '../../support/scripted-upstream.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const forbidden = refusal(403, '10010', 'Forbidden', 'No.');

test.for(['a', '7f3c9a52-4d5e-4a51-8d6b-0f3b3d3c2a11', '01J8Z.trace:span=1+2/3_x', 'x'.repeat(128)])(
  'keeps the request id %s: in the answer, the error, the upstream call and the log',
  async (requestId, { gateway, upstream }) => {
    upstream.script(() => forbidden);
    const { headers, errors } = await gateway.query('{ missions { totalCount } }', {
      headers: { 'x-request-id': requestId },
    });
    expect(headers.get('x-request-id')).toBe(requestId);
    expect(errors.map(({ extensions }) => extensions.requestId)).toEqual([requestId]);
    expect(upstream.requests.map((request) => request.headers['x-request-id'])).toEqual([requestId]);
    await expect.poll(() => gateway.log.map((line) => JSON.parse(line).requestId)).toEqual([requestId]);
  },
);

test.for(['', 'a b', 'a,b', 'é', '"', 'x'.repeat(129), 'test-key', 'id-test-key-1', 'dGVzdC1rZXk='])(
  'makes a new request id for %j',
  async (requestId, { gateway, upstream }) => {
    upstream.script(() => forbidden);
    const { headers, errors } = await gateway.query('{ missions { totalCount } }', {
      headers: { 'x-request-id': requestId },
    });
    const made = headers.get('x-request-id');
    expect(made).toMatch(uuid);
    expect(errors.map(({ extensions }) => extensions.requestId)).toEqual([made]);
    expect(upstream.requests.map((request) => request.headers['x-request-id'])).toEqual([made]);
  },
);
