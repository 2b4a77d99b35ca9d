import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe } from 'vitest';
import { expect, startGateway, test } from '../../support/gateway.ts';
import { loopbackCertificate } from '../loopback-certificate.ts';
import { rootFields } from '../../support/root-fields.ts';
import { listenOnLoopback } from '../loopback.ts';

const trusted = getCACertificates();
const document = '{ chargesSummary(startDate: "2026-10-01", endDate: "2026-11-01") { currency } }';
const body = JSON.stringify(rootFields.find(({ name }) => name === 'chargesSummary')?.reply.json);
const json = { 'content-type': 'application/json' };

type Respond = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

/** An API over TLS that offers HTTP/2, and HTTP/1.1 as well. */
const startSecure = (respond: Respond) =>
  listenOnLoopback(createSecureServer({ ...loopbackCertificate, allowHTTP1: true }, respond));

describe('an API over TLS', () => {
  beforeAll(() => setDefaultCACertificates([...trusted, loopbackCertificate.cert]));
  afterAll(() => setDefaultCACertificates(trusted));

  test('is called by HTTP/1.1 although it offers HTTP/2', async () => {
    const versions: string[] = [];
    const secure = await startSecure((request, response) => {
      versions.push(request.httpVersion);
      response.writeHead(200, json).end(body);
    });
    const gateway = await startGateway(secure.baseUrl('https'));
    for (let n = 0; n < 3; n++) expect((await gateway.query(document, { key: `key-${n}` })).errors).toEqual([]);
    expect(versions).toEqual(['1.1', '1.1', '1.1']);
    await gateway.close();
    await secure.close();
  });

  // One connection for all calls would be dead for all of them, for as long as TCP believes in it.
  test('costs no other call its time when a connection goes silent', async () => {
    let calls = 0;
    const secure = await startSecure((_request, response) => {
      if (calls++ > 0) response.writeHead(200, json).end(body);
      else response.writeHead(200, json).write(body.slice(0, 10));
    });
    const gateway = await startGateway(secure.baseUrl('https'), {
      UPSTREAM_STALL_TIMEOUT_MS: '300',
      UPSTREAM_RETRIES: '0',
    });
    const { errors } = await gateway.query(document);
    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT' } }]);
    expect((await gateway.query(document)).errors).toEqual([]);
    expect(secure.connections.length).toBe(2);
    await gateway.close();
    await secure.close();
  });
});
