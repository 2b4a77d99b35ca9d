import { describe, expect, testOfFile as test } from '../support/gateway.ts';
import { allRootFields, healthyReply, rootFields } from '../support/records.ts';

const missions = '{ missions { nodes { id } } }';
const keyLength = 4_096;

describe('a key', () => {
  test.for([
    ['Bearer KEY01.abc-DEF_~+/xyz==', 'KEY01.abc-DEF_~+/xyz=='],
    ['BeArEr    abc', 'abc'],
    ['  Bearer abc  ', 'abc'],
    [`Bearer ${'k'.repeat(keyLength)}`, 'k'.repeat(keyLength)],
    [`bearer    ${'k'.repeat(keyLength)}`, 'k'.repeat(keyLength)],
  ])('is taken from %j and sent as Bearer', async ([authorization = '', key], { gateway, upstream }) => {
    upstream.script(healthyReply);
    // Only the sandbox has faults to order.
    await gateway.data(missions, { key: null, headers: { authorization, 'x-sandbox': 'small' } });
    expect(upstream.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${key}`]);
  });

  const malformed = ['a b', 'a=b', '=', 'a%20b', 'clé', 'k'.repeat(keyLength + 1)];
  const others = [null, '', 'Bearer ', 'Bearerabc', 'Bearer\tabc', 'Basic dXNlcjpwYXNz'];

  test.for([...others, ...malformed.map((key) => `Bearer ${key}`)])(
    'is not taken from %j: each field reports it, without an upstream call',
    async (authorization, { gateway, upstream }) => {
      upstream.script(healthyReply);
      const headers: Record<string, string> = authorization === null ? {} : { authorization };
      const document = `{ __typename ${allRootFields.slice(1)}`;
      const { status, data, errors, text } = await gateway.query(document, { key: null, headers });
      expect(status).toBe(200);
      expect(data).toEqual({ __typename: 'Query', ...Object.fromEntries(rootFields.map(({ name }) => [name, null])) });
      expect(errors.map(({ path }) => path)).toEqual(rootFields.map(({ name }) => [name]));
      for (const { extensions, message } of errors) {
        expect(extensions).toEqual({ code: 'UNAUTHENTICATED', retryable: false, requestId: extensions.requestId });
        expect(message).toContain('Authorization: Bearer');
      }
      // A request id is random hex: it may hold an "abc" of its own.
      expect(text.replaceAll(/"requestId":"[^"]*"/g, '')).not.toMatch(/abc|kkkk|dXNl|clé/);
      expect(upstream.requests).toEqual([]);
    },
  );

  test.for([`Bearer ${'k'.repeat(keyLength + 1)}`, `Basic ${'k'.repeat(keyLength + 10)}`, 'é'.repeat(keyLength + 10)])(
    'is refused if it is too long, whatever its form',
    async (authorization, { gateway, upstream }) => {
      const headers = { authorization };
      const { errors, text } = await gateway.query(missions, { key: null, headers });
      const report = await gateway.fetch('/exports/charges-breakdown.csv?startDate=2026-10-01', { headers });
      const stream = await gateway.fetch('/graphql?query=subscription{webhookDeliveries{id}}', {
        headers: { ...headers, accept: 'text/event-stream' },
      });
      const message = expect.stringContaining(`your own API key, of ${keyLength} characters at most`);
      const error = { message, extensions: { code: 'UNAUTHENTICATED', retryable: false } };
      expect(errors).toMatchObject([error]);
      expect([report.status, await report.json()]).toMatchObject([401, { errors: [error] }]);
      const events = await stream.text();
      expect(events).toContain('characters at most');
      expect(text + events + gateway.log.join('')).not.toMatch(/kkkk|é/);
      expect(upstream.requests).toEqual([]);
    },
  );

  test('that was refused is distinguished from none', async ({ gateway, upstream }) => {
    upstream.script(() => ({ status: 401, text: '' }));
    const sent = await gateway.query(missions);
    const none = await gateway.query(missions, { key: null });
    const told = 'The upstream does not accept the API key that was sent with this request.';
    expect(sent.errors).toMatchObject([{ message: told, extensions: { code: 'UNAUTHENTICATED' } }]);
    expect(none.errors).toMatchObject([{ message: expect.stringContaining('needs your own API key') }]);
    expect(upstream.requests).toHaveLength(1);
  });

  test('is needed once for all fields, and goes with every call', async ({ gateway, upstream }) => {
    upstream.script(healthyReply);
    const headers = { 'x-request-id': 'abc-123' };
    await gateway.query(allRootFields, { key: 'KEY-of-mine', headers });
    expect(upstream.requests).toHaveLength(5);
    for (const request of upstream.requests) {
      expect(request.headers).toMatchObject({ authorization: 'Bearer KEY-of-mine', 'x-request-id': 'abc-123' });
      const names = 'accept accept-encoding authorization connection host user-agent x-request-id';
      expect(Object.keys(request.headers).sort()).toEqual(names.split(' '));
    }
  });
});
