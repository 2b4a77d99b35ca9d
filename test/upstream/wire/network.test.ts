import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createSecureServer as createHttp2Server } from 'node:http2';
import { createServer as createSecureServer, type ServerOptions as SecureOptions } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { describe, onTestFinished, vi } from 'vitest';
import { expect, startGateway, test, type Gateway } from '../../support/gateway.ts';
import { fileWriter } from '../../support/files.ts';
import { rootFields } from '../../support/records.ts';
import { scrape, valueOf } from '../../support/metrics.ts';
import { reportCauses } from '../../../src/upstream/transport/connections.ts';
import { open, startBefore } from '../loopback.ts';
import { authority, certificate, selfSigned } from './certificates.ts';
import { startProxy } from './proxy.ts';

const document = '{ chargesSummary(startDate: "2026-10-01", endDate: "2026-11-01") { currency } }';
const body = JSON.stringify(rootFields.find(({ name }) => name === 'chargesSummary')?.reply.json);
const json = { 'content-type': 'application/json' };
const respond: RequestListener = (_request, response) => {
  response.writeHead(200, json).end(body);
};

const fileOf = fileWriter();

const otherKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' });
const trusting = { UPSTREAM_TLS_CA_FILE: fileOf('authority', authority) };
const certified = { UPSTREAM_TLS_CERT_FILE: fileOf('client', certificate.cert) };
const identified = { ...certified, UPSTREAM_TLS_KEY_FILE: fileOf('client-key', certificate.key) };

type Server = Parameters<typeof open>[0];

/** Asks as two callers, one after the other, and sees both answered. */
async function askTwice(gateway: Gateway): Promise<void> {
  for (const key of ['one', 'two']) expect((await gateway.query(document, { key })).errors).toEqual([]);
}

/** An API that wants to see a certificate of the authority. */
const mutual = { ca: authority, requestCert: true };
const secured = (more: SecureOptions = {}, listener = respond) =>
  createSecureServer({ ...certificate, ...more }, listener);

test.for<[what: string, server: Server | string, cause: RegExp, env?: Record<string, string>, name?: string]>([
  // No test listens there; a port that has been free a moment ago may be another's by now.
  ['that is not there', 'http://127.0.0.1:9/v2', /^ECONNREFUSED$/],
  ['whose name is not found', 'http://no-such-host.invalid/v2', /^(?:ENOTFOUND|EAI_AGAIN)$/],
  ['that ends each connection', createTcpServer((socket) => socket.destroy()), /^ECONNRESET$/],
  ['that speaks no TLS', createServer(respond), /^(?:ERR_SSL_\w+|EPROTO)$/],
  ['with a certificate of an unknown authority', secured(), /^UNABLE_TO_VERIFY_LEAF_SIGNATURE$/],
  ['with a certificate that it has signed itself', secured(selfSigned), /^DEPTH_ZERO_SELF_SIGNED_CERT$/],
  ['with a certificate for another name', secured(), /^ERR_TLS_CERT_ALTNAME_INVALID$/, trusting, 'localhost'],
  // By TLS 1.3 the request is on its way by then, and the reset that follows may come before the reason.
  ['that asks for a certificate', secured({ ...mutual, maxVersion: 'TLSv1.2' }), /^ERR_SSL_\w*ALERT\w*$/, trusting],
])('an API %s is logged once a minute, counted and told to no client', async ([what, server, cause, env, name]) => {
  // One that is not trusted now will not be trusted in a moment.
  const isOfCertificate = what.includes('certificate');
  const url = typeof server === 'string' ? server : (await open(server)).baseUrl('https');
  const baseUrl = name === undefined ? url : url.replace('127.0.0.1', name);
  const gateway = await startBefore(baseUrl, { UPSTREAM_RETRIES: '1', ...env });
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now');
  onTestFinished(() => clock.mockRestore());
  for (const minutes of [0, 0, 1]) {
    clock.mockImplementation(() => now() + 60_000 * minutes);
    const { errors, text } = await gateway.query(document);
    const extensions = { code: 'UPSTREAM_UNAVAILABLE', retryable: !isOfCertificate, upstream: {} };
    expect(errors).toMatchObject([{ extensions }]);
    expect(text).not.toMatch(/CERT|SSL|ECONN|ENOTF|EAI|VERIFY|127\.0\.0\.1|no-such-host/);
  }
  const operation = 'GET /charges_summary';
  const told = gateway.log.filter((line) => line.includes('the API cannot be reached')).map((line) => JSON.parse(line));
  const line = { level: 'warn', cause: expect.stringMatching(cause), operation };
  expect(told).toMatchObject([1, isOfCertificate ? 2 : 4].map((count) => ({ ...line, count })));
  const labels = { operation, cause: told[0].cause };
  const counted = await valueOf(gateway, 'switchboard_upstream_unreachable_total', labels);
  expect(counted).toBe(isOfCertificate ? 3 : 6);
});

/** Time that stands still until it is advanced, for one of what tells it. */
function stopTime(what: 'performance' | 'Date'): void {
  vi.useFakeTimers({ toFake: [what] });
  onTestFinished(() => void vi.useRealTimers());
}

test('a cause that goes on is logged once a minute, with how often it came since', () => {
  stopTime('performance');
  const told: unknown[] = [];
  const report = reportCauses({ count: () => {}, log: ({ cause, count }) => told.push([cause, count]) });
  const fail = (code: string) => report('GET /a', Object.assign(new Error('with a secret'), { code }));
  for (const code of ['ENOTFOUND', 'ENOTFOUND', 'ECONNREFUSED', 'ENOTFOUND']) fail(code);
  vi.advanceTimersByTime(59_999);
  fail('ENOTFOUND');
  vi.advanceTimersByTime(1);
  fail('ENOTFOUND');
  expect(told).toEqual([
    ['ENOTFOUND', 1],
    ['ECONNREFUSED', 1],
    ['ENOTFOUND', 4],
  ]);
});

test('connections to the API are renewed every five minutes, so that a name that moves is followed', async () => {
  stopTime('Date');
  const api = await open(createServer(respond));
  const gateway = await startBefore(api.baseUrl());
  await askTwice(gateway);
  vi.advanceTimersByTime(300_000);
  await askTwice(gateway);
  expect(api.connections.length).toBe(1);
  vi.advanceTimersByTime(1);
  await askTwice(gateway);
  expect(api.connections.length).toBe(2);
  await expect.poll(() => api.connections[0]?.destroyed).toBe(true);
});

describe('a proxy', () => {
  test('forwards calls to an API by HTTP, with the credentials of its own', async () => {
    const proxy = await startProxy(respond);
    const gateway = await startBefore('http://api.example.com/v2', {
      HTTP_PROXY: `http://me:s%40crt-word@${proxy.host}`,
    });
    await askTwice(gateway);
    expect(proxy.asked).toEqual(Array(2).fill('GET http://api.example.com/v2/charges_summary'));
    expect(proxy.heard).toEqual(Array(2).fill(`Basic ${Buffer.from('me:s@crt-word').toString('base64')}`));
    expect(gateway.log.join('') + (await scrape(gateway))).not.toMatch(/crt-word|c0BjcnQ/);
  });

  test('makes a tunnel to an API by HTTPS, which sees the certificate of the gateway', async () => {
    const names: unknown[] = [];
    const api = await open(
      secured(mutual, (request, response) => {
        names.push((request.socket as TLSSocket).getPeerCertificate().subject.CN);
        respond(request, response);
      }),
    );
    const proxy = await startProxy(respond);
    const gateway = await startBefore(api.baseUrl('https'), { https_proxy: proxy.host, ...trusting, ...identified });
    await askTwice(gateway);
    // One connection for calls that follow one another.
    expect([proxy.asked, names]).toEqual([[`CONNECT ${new URL(api.baseUrl()).host}`], ['loopback', 'loopback']]);
  });

  test('is left out for the hosts of NO_PROXY', async () => {
    const api = await open(secured());
    const proxy = await startProxy(respond);
    const env = { HTTPS_PROXY: `http://${proxy.host}`, NO_PROXY: 'example.com, 127.0.0.1', ...trusting };
    await askTwice(await startBefore(api.baseUrl('https'), env));
    expect(proxy.asked).toEqual([]);
  });

  test.for([
    ['HTTP_PROXY', 'http', 407],
    ['HTTPS_PROXY', 'https', 403],
  ] as const)('of %s that refuses a call by %s with %i is named in the log', async ([variable, scheme, status]) => {
    const proxy = await startProxy(respond, { refuse: status });
    const env = { [variable]: `http://${proxy.host}`, UPSTREAM_RETRIES: '2' };
    const gateway = await startBefore(`${scheme}://api.example.com/v2`, env);
    expect((await gateway.query(document)).errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
    expect(gateway.log.join('')).toContain(`"cause":"PROXY_${status}"`);
    expect(proxy.asked.length).toBe(1);
  });
});

test('a proxy that takes a connection and says nothing keeps none of it', async () => {
  let held = 0;
  const silent = await open(
    createTcpServer((socket) => {
      held++;
      socket.resume().on('close', () => held--);
    }),
  );
  const gateway = await startBefore('https://api.example.com/v2', {
    HTTPS_PROXY: new URL(silent.baseUrl()).host,
    UPSTREAM_CONNECT_TIMEOUT_MS: '200',
    UPSTREAM_TIMEOUT_MS: '600',
  });
  const answers = await Promise.all([1, 2, 3].map((n) => gateway.query(document, { key: `key-${n}` })));
  // On a busy machine even the connection to the proxy may not stand in time.
  const code = expect.stringMatching(/^UPSTREAM_(TIMEOUT|UNAVAILABLE)$/);
  for (const { errors } of answers) expect(errors).toMatchObject([{ extensions: { code } }]);
  await expect.poll(() => held).toBe(0);
});

describe('the files of TLS', () => {
  test('are read again when they change, and stay as they were where the new ones cannot be used', async () => {
    const api = await open(secured());
    const path = fileOf('changing', certificate.cert);
    const gateway = await startBefore(api.baseUrl('https'), {
      UPSTREAM_TLS_CA_FILE: path,
      UPSTREAM_BREAKER_OPEN_MS: '1',
    });
    const ask = async () => (await gateway.query(document)).errors.length;
    expect(await ask()).toBe(1);
    writeFileSync(path, authority);
    await expect.poll(ask).toBe(0);
    writeFileSync(path, 'no PEM any more');
    await expect.poll(() => gateway.log.join('')).toContain('UPSTREAM_TLS_CA_FILE must be');
    expect(await ask()).toBe(0);
  });

  test('may have a certificate that the API has signed itself', async () => {
    const api = await open(secured(selfSigned));
    await askTwice(
      await startBefore(api.baseUrl('https'), { UPSTREAM_TLS_CA_FILE: fileOf('self-signed', selfSigned.cert) }),
    );
  });

  test.for([
    ['UPSTREAM_TLS_CA_FILE', { UPSTREAM_TLS_CA_FILE: fileOf('nonsense', 'no PEM') }],
    ['UPSTREAM_TLS_CA_FILE', { UPSTREAM_TLS_CA_FILE: 'absent.pem' }],
    ['UPSTREAM_TLS_CERT_FILE', certified],
    ['UPSTREAM_TLS_KEY_FILE', { ...certified, UPSTREAM_TLS_KEY_FILE: fileOf('other-key', otherKey) }],
  ] as const)('stop a start whose %s cannot be used', async ([variable, env]) => {
    await expect(startGateway('https://api.example.com/v2', env)).rejects.toThrow(variable);
  });
});

// One connection for all calls, as HTTP/2 has, would be dead for all of them, for as long as TCP believes in it.
test('a connection to an API over TLS that goes silent costs no other call its time', async () => {
  let calls = 0;
  const api = createHttp2Server({ ...certificate, allowHTTP1: true }, (_request, response) => {
    if (calls++ > 0) response.writeHead(200, json).end(body);
    else response.writeHead(200, json).write(body.slice(0, 10));
  });
  const secure = await open(api);
  const gateway = await startBefore(secure.baseUrl('https'), { ...trusting, UPSTREAM_STALL_TIMEOUT_MS: '300' });
  expect((await gateway.query(document)).errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT' } }]);
  expect((await gateway.query(document)).errors).toEqual([]);
  expect(secure.connections.length).toBe(2);
});
