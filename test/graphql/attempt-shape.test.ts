import { afterAll, describe } from 'vitest';
import { expect, judge, startGateway, testOfFile as test, type Gateway } from '../support/gateway.ts';
import * as records from '../support/records.ts';
import { pageReply, type ScriptedUpstream } from '../support/scripted-upstream.ts';
import { violationsIn } from '../support/metrics.ts';

// The API's own examples show `errors` as objects and `headers` as texts (field notes); the contract integers and pairs.

const query = `{ webhookDeliveries { nodes { status attempts {
  errors errorDetails { code title detail }
  http { request { headers { name value } } response { headers { name value } } }
} } } }`;

async function attemptOf(gateway: Gateway, upstream: ScriptedUpstream, fields: records.JsonRecord) {
  upstream.script((request) =>
    pageReply([records.webhookDeliveryRecord({ attempts: [records.attemptRecord(fields)] })], request),
  );
  const { data, errors, text } = await gateway.query(query);
  const paths: string[] = errors.map(({ path }: { path: readonly unknown[] }) => path.slice(5).join('.'));
  return { attempt: data.webhookDeliveries.nodes[0].attempts[0], paths: paths.toSorted(), text };
}

const full = { code: '75001', title: 'Connection failed', detail: 'The receiver did not answer.' };

/** The gateways of both ways, which keep nothing between the tests. */
const gateways = new Map<string, Promise<Gateway>>();
function gatewayOf(way: string, { baseUrl }: ScriptedUpstream): Promise<Gateway> {
  const started = gateways.get(way) ?? startGateway(baseUrl, {}, way === 'by graphql-js' ? judge : {});
  gateways.set(way, started);
  return started;
}
afterAll(async () => {
  for (const started of gateways.values()) await (await started).close();
});

describe.each([
  ['by plans', {}],
  ['by graphql-js', judge],
] as const)('executed %s', (way, options) => {
  const shown = async (upstream: ScriptedUpstream, fields: records.JsonRecord) =>
    attemptOf(await gatewayOf(way, upstream), upstream, fields);
  /** What is shown of the headers of a request. */
  async function headersShown(upstream: ScriptedUpstream, ...headers: readonly unknown[]) {
    const { attempt, ...rest } = await shown(upstream, { http: { request: { headers } } });
    return { headers: attempt.http.request.headers, ...rest };
  }

  describe('the errors of an attempt', () => {
    test.for<[what: string, sent: unknown, codes: unknown, details: unknown]>([
      ['integers', [75001, 75002], [75001, 75002], [{ code: 75001 }, { code: 75002 }]],
      ['objects', [full], [75001], [{ ...full, code: 75001 }]],
      ['both', [75002, full], [75002, 75001], [{ code: 75002 }, { ...full, code: 75001 }]],
      ['null', null, null, null],
      ['the largest code', [{ code: '2147483647' }], [2147483647], [{ code: 2147483647 }]],
      // oxlint-disable-next-line unicorn/no-thenable
      ['what the contract does not have', [{ ...full, meta: 7, then: 1 }], [75001], [{ ...full, code: 75001 }]],
      ['numbers to the letter', [records.rawNumber('75001.0')], [75001], [{ code: 75001 }]],
    ])('come through as codes and in full: %s', async ([, sent, codes, details], { upstream }) => {
      const { attempt, paths } = await shown(upstream, { errors: sent });
      expect(paths).toEqual([]);
      expect(attempt.errors).toEqual(codes);
      const whole = (detail: object): object => ({ code: null, title: null, detail: null, ...detail });
      expect(attempt.errorDetails).toEqual((details as object[] | null)?.map(whole) ?? null);
    });

    test.for<[sent: unknown, code: unknown]>([
      [{ ...full, code: 75001.5 }, null],
      [{ ...full, code: '99999999999' }, null],
      [{ ...full, code: '-75001' }, null],
      [{ ...full, code: ['75001'] }, null],
    ])('cost the code alone where it is none: %j', async ([sent], { startWith, upstream }) => {
      const gateway = await startWith({}, options);
      const { attempt, paths } = await attemptOf(gateway, upstream, { errors: [sent, 75002] });
      expect(attempt.errors).toEqual([null, 75002]);
      expect(attempt.errorDetails).toEqual([
        { code: null, title: full.title, detail: full.detail },
        { code: 75002, title: null, detail: null },
      ]);
      expect(paths).toEqual(['errorDetails.0.code', 'errors.0']);
      expect(await violationsIn(gateway)).toEqual({
        'WebhookDeliveryAttempt.errors wrong_type': 1,
        'AttemptError.code wrong_type': 1,
      });
    });

    test('have a null code where an object has none, and fail there in the list of codes', async ({ upstream }) => {
      const { attempt, paths } = await shown(upstream, { errors: [{ title: 'a' }, { code: null, detail: 'b' }, {}] });
      expect(attempt.errors).toEqual([null, null, null]);
      expect(attempt.errorDetails).toEqual([
        { code: null, title: 'a', detail: null },
        { code: null, title: null, detail: 'b' },
        { code: null, title: null, detail: null },
      ]);
      expect(paths).toEqual(['errors.0', 'errors.1', 'errors.2']);
    });

    test.for([
      ['75001.0', { code: null, title: '75001.0', detail: null }, ['errors.1']],
      ['half \uD83D', { code: null, title: null, detail: null }, ['errorDetails.1.title', 'errors.1']],
      [[75001], { code: null, title: null, detail: null }, ['errorDetails.1.code', 'errors.1']],
      // An item that is there cannot be null.
      [null, null, ['errorDetails.1', 'errors.1']],
    ])('are a list with %j among them', async ([odd, detail, failed], { upstream }) => {
      const { attempt, paths } = await shown(upstream, { errors: [full, odd] });
      const errorDetails = detail && [{ ...full, code: 75001 }, detail];
      expect(attempt).toMatchObject({ errors: [75001, null], errorDetails });
      expect(paths).toEqual(failed);
    });
  });

  describe('the headers of an attempt', () => {
    test.for<[sent: unknown, name: string | null, value: string | null]>([
      ['Accept: */*', 'Accept', '*/*'],
      ['  Accept \t:  a: b  ', 'Accept', 'a: b'],
      ['Accept', 'Accept', null],
      [':', '', ''],
      [':authority: hooks.example.com', ':authority', 'hooks.example.com'],
      ['X-Long: a\r\n b', 'X-Long', 'a\r\n b'],
      [['Accept', '*/*'], 'Accept', '*/*'],
      [['Accept', null], 'Accept', null],
    ])('come through as pairs and as text: %j', async ([sent, name, value], { upstream }) => {
      const headers = [sent, ['A', 'b']];
      const { attempt, paths } = await shown(upstream, { http: { request: { headers }, response: { headers } } });
      expect(paths).toEqual([]);
      expect(attempt.http.request.headers).toEqual([
        { name, value },
        { name: 'A', value: 'b' },
      ]);
      expect(attempt.http.response.headers).toEqual(attempt.http.request.headers);
    });

    test.for([[['A']], [['A', 'b', 'c']], [{ A: 'b' }], [null]])('are no more: %j', async ([sent], { upstream }) => {
      const { headers, paths } = await headersShown(upstream, sent, 'A: b');
      expect(headers).toEqual([null, { name: 'A', value: 'b' }]);
      expect(paths).toEqual(['http.request.headers.0']);
    });

    test.for<[sent: unknown, name: string | null, value?: string | null]>([
      ['Authorization: Bearer hush', 'Authorization'],
      ['PROXY-AUTHORIZATION : hush', 'PROXY-AUTHORIZATION'],
      [' \t Cookie\t:hush', 'Cookie'],
      ['\r\nX-Api-Key: hush', 'X-Api-Key'],
      ['Accept: x\r\nCookie: hush', 'Accept'],
      ['Accept\r\nCookie: hush', 'Cookie'],
      [':Authorization: hush', 'Authorization'],
      [': hush', ''],
      ['\u200BCookie\u200B: hush', 'Cookie'],
      [['Coo\u212Aie', 'hush'], 'Coo\u212Aie'],
      [['Set-Cookie ', 'hush'], 'Set-Cookie '],
      [['Cookie:', 'hush'], 'Cookie'],
      [['Cookie: hush', ''], 'Cookie'],
      [['Accept', 'x\nCookie: hush'], 'Accept'],
      [['', 'hush'], ''],
      [['Cookie', { hush: 1 }], 'Cookie'],
      [[7, 'hush'], null],
      [[null, 'hush'], null],
      // No credential is shown as a name either.
      ['Cookie hush', 'Cookie', null],
      ['Authorization Bearer hush', 'Authorization', null],
    ])('keep credentials back, however they are written: %j', async (row, { startWith, upstream }) => {
      const [sent, name, value = '[redacted]'] = row;
      const { headers, text } = await headersShown(upstream, sent);
      expect(headers).toEqual([{ name, value }]);
      expect(text).not.toContain('hush');
      if (value === null || (typeof sent !== 'string' && typeof (sent as unknown[])[1] !== 'string')) return;
      const fields = { http: { request: { headers: [sent] } } };
      const open = await attemptOf(await startWith({ EXPOSE_SECRETS: 'true' }, options), upstream, fields);
      expect(open.text).toContain('hush');
    });

    const lookalikes = ['X-Authorization-Hint: shown', 'Cookie-Consent: shown', 'Set-Cookie2: shown'];
    test.for(lookalikes)('show what only looks like one: %s', async (sent, { upstream }) => {
      const { headers } = await headersShown(upstream, sent);
      expect(headers).toEqual([{ name: sent.split(':')[0], value: 'shown' }]);
    });
  });
});
