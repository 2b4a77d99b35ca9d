import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { connect } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { startScriptedStore } from '../shared-state/scripted-store.ts';
import { fileWriter } from '../support/files.ts';
import { patient } from '../support/gateway.ts';
import { get } from '../support/http.ts';
import { valueOf } from '../support/metrics.ts';
import { refusingUpstream, startGatewayProgram } from '../support/process.ts';
import { open } from '../upstream/loopback.ts';
import { authority, certificate, selfSigned } from '../upstream/wire/certificates.ts';
import { startProxy } from '../upstream/wire/proxy.ts';

const fileOf = fileWriter();

const authorityFile = fileOf('authority', authority);
const certified = {
  UPSTREAM_TLS_CA_FILE: authorityFile,
  UPSTREAM_TLS_CERT_FILE: fileOf('client', certificate.cert),
  UPSTREAM_TLS_KEY_FILE: fileOf('client-key', certificate.key),
};

const respond: RequestListener = (_request, response) => {
  const json = JSON.stringify({ data: [{ mission_id: 'a' }], meta: { total_results: 7 } });
  response.writeHead(200, { 'content-type': 'application/json' }).end(json);
};

/** Starts the program before an API, and asks; with the answer and what it has logged. */
async function ask(baseUrl: string, env: Readonly<Record<string, string>>) {
  const { program, url } = await startGatewayProgram({ UPSTREAM_BASE_URL: baseUrl, ...patient, ...env });
  await using started = program;
  const { text } = await get(`${url}/graphql?query={missions(first:1){totalCount}}`);
  await started.printed(/"msg":"request"/);
  return { text, log: started.out };
}

describe('the program', () => {
  test.for([false, true])(
    'reaches an API of a private authority that asks for a certificate, by a proxy; itself by https: %s',
    async (isSecure) => {
      const callers: unknown[] = [];
      const api = await open(
        createServer({ ...certificate, ca: authority, requestCert: true }, (request, response) => {
          callers.push((request.socket as TLSSocket).getPeerCertificate().subject.CN);
          respond(request, response);
        }),
      );
      const proxy = await startProxy(respond, { isSecure });
      const proxyUrl = `${isSecure ? 'https' : 'http'}://${proxy.host}`;
      const env = { HTTPS_PROXY: proxyUrl, NODE_EXTRA_CA_CERTS: authorityFile, ...certified };
      const { text, log } = await ask(api.baseUrl('https'), env);
      expect(text).toBe('{"data":{"missions":{"totalCount":7}}}');
      expect([proxy.asked, callers]).toEqual([[`CONNECT ${new URL(api.baseUrl()).host}`], ['loopback']]);
      expect(log).not.toContain('cannot be reached');
    },
  );

  test.for([
    ['that has signed its certificate itself', 'DEPTH_ZERO_SELF_SIGNED_CERT', '127.0.0.1'],
    ['whose name is wrong', 'ENOTFOUND|EAI_AGAIN', 'no-such-host.invalid'],
  ] as const)('logs why an API %s cannot be reached, and tells no client', async ([, cause, name]) => {
    const api = await open(createServer(selfSigned, respond));
    const { text, log } = await ask(api.baseUrl('https').replace('127.0.0.1', name), { UPSTREAM_RETRIES: '0' });
    expect(log).toMatch(new RegExp(`"level":"warn".*"cause":"(?:${cause})".*"msg":"the API cannot be reached"`));
    expect(text).toContain('"code":"UPSTREAM_UNAVAILABLE"');
    expect(text).not.toMatch(new RegExp(`${cause}|${name}`));
  });

  test('reaches a Redis by TLS whose authority is in NODE_EXTRA_CA_CERTS', async () => {
    const store = await startScriptedStore();
    const secure = await open(
      createTlsServer(certificate, (client) => {
        const plain = connect(Number(new URL(store.url).port), '127.0.0.1');
        for (const socket of [client, plain]) socket.on('error', () => plain.destroy());
        client.pipe(plain).pipe(client);
      }),
    );
    const { program, url } = await startGatewayProgram({
      UPSTREAM_BASE_URL: refusingUpstream,
      SHARED_STATE_URL: `rediss://${new URL(secure.baseUrl()).host}`,
      NODE_EXTRA_CA_CERTS: authorityFile,
    });
    await using _ = program;
    await expect.poll(() => valueOf({ url }, 'switchboard_shared_state_up', { store: 'redis' })).toBe(1);
  });
});
