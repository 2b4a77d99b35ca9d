import { request } from 'node:http';
import fc from 'fast-check';
import { clientText } from '../../src/http/request/request.ts';
import { expect, testOfFile as test, type Gateway } from '../support/gateway.ts';

type Line = Readonly<Record<string, unknown>>;
let asked = 0;

/** Asks with these headers, byte for byte, on a connection of its own; returns what the log says of the client. */
async function logged(gateway: Gateway, headers: Readonly<Record<string, string>>): Promise<Line> {
  const id = `client-${asked++}`;
  await new Promise<void>((resolve, reject) => {
    const sent = request(`${gateway.url}/nothing`, { agent: false, headers: { 'x-request-id': id, ...headers } });
    sent.once('response', (response) => response.resume().once('end', resolve));
    sent.once('error', reject).end();
  });
  const find = (): Line | undefined =>
    gateway.log.map((line) => JSON.parse(line) as Line).find(({ requestId }) => requestId === id);
  await expect.poll(find).toBeDefined();
  const { clientName, clientVersion, userAgent } = find() ?? {};
  return JSON.parse(JSON.stringify({ clientName, clientVersion, userAgent }));
}

test('the log names a client by one family of headers, and leaves out what is missing', async ({ gateway }) => {
  for (const family of ['apollographql-client', 'graphql-client', 'x-client']) {
    const headers = { [`${family}-name`]: 'web', [`${family}-version`]: '1.2.3', 'user-agent': 'Mozilla/5.0 (X11)' };
    const named = { clientName: 'web', clientVersion: '1.2.3', userAgent: 'Mozilla/5.0 (X11)' };
    expect(await logged(gateway, headers)).toEqual(named);
  }
  expect(await logged(gateway, { 'x-client-name': '  ', 'user-agent': '' })).toEqual({});
  const ofTwo = { 'x-client-name': 'x', 'apollographql-client-version': '2' };
  expect(await logged(gateway, ofTwo)).toEqual({ clientVersion: '2' });
});

const bytes = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

test.for([
  ['UTF-8', bytes('Büro ☎ 😀'), 'Büro ☎ 😀'],
  ['Latin-1', 'B\u00FCro', 'Büro'],
  ['a text that turns its direction', bytes('a\u202Eb\u2066c'), 'abc'],
  ['quotes and backslashes', String.raw`a"b\c`, String.raw`a"b\c`],
])('the log cleans a client name of %s', async ([, sent = '', shown = ''], { gateway }) => {
  const line = await logged(gateway, { 'x-client-name': sent, 'user-agent': sent });
  expect(line).toEqual({ clientName: shown, userAgent: shown });
});

test('the log cuts the name, the version and the user agent of a client', async ({ gateway }) => {
  const long = bytes('😀'.repeat(1_000));
  const line = await logged(gateway, { 'x-client-name': long, 'x-client-version': long, 'user-agent': long });
  const shown = Object.values(clientText).map((length) => '😀'.repeat(length / 2));
  expect(Object.values(line)).toEqual(shown);
});

const key = 'KEY0123456789_abcdefghijklmnopqrstuvwxyz';

test.for([
  ['within a text', `web/${key} (x)`],
  ['in base64', btoa(`name:${key}`)],
  ['percent-encoded', key.replaceAll('K', '%4B')],
  ['with invisible characters in it', bytes(key.split('').join('\u200B'))],
  ['across the end', `${'x'.repeat(clientText.version - 10)}${key}`],
])("the log hides the caller's key in the name of a client, %s", async ([, sent = ''], { gateway }) => {
  const headers = { 'x-client-name': sent, 'x-client-version': sent, 'user-agent': sent };
  const line = await logged(gateway, { authorization: `Bearer ${key}`, ...headers });
  expect(Object.keys(line)).toEqual(['clientName', 'clientVersion', 'userAgent']);
  for (const value of Object.values(line)) {
    expect(value).toContain('[redacted]');
    expect(value).not.toMatch(/0123456|abcdefg|S0VZMDEy/);
  }
});

test('the log hides the key of each request of a connection', async ({ gateway }) => {
  const init = (authorization: string): RequestInit => ({ headers: { authorization, 'user-agent': key } });
  await gateway.fetch('/one', init('Bearer another-key-of-somebody'));
  await gateway.fetch('/two', init(`Bearer ${key}`));
  await expect.poll(() => gateway.log.length).toBe(2);
  expect(gateway.log.map((line) => JSON.parse(line).userAgent)).toEqual([key, '[redacted]']);
});

test('the log is one line of JSON for each request, whatever a client says of itself', async ({ gateway }) => {
  const octet = fc.oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0x80, max: 0xff }), fc.constant(9));
  const text = fc.array(octet, { maxLength: 400 }).map((codes) => String.fromCharCode(...codes));
  await fc.assert(
    fc.asyncProperty(text, async (said) => {
      const told = await logged(gateway, { 'x-client-name': said, 'user-agent': said });
      const { clientName = '', userAgent = '' } = told as Readonly<Record<string, string>>;
      expect(clientName.length).toBeLessThanOrEqual(clientText.name);
      expect(userAgent.length).toBeLessThanOrEqual(clientText.userAgent);
      expect(clientName + userAgent).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
    }),
    { numRuns: 50 },
  );
  expect(gateway.log.filter((line) => !/^[^\n]+\n$/.test(line))).toEqual([]);
});
