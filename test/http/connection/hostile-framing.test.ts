import { expect, test } from '../../support/gateway.ts';
import { talk } from '../../support/http.ts';

const body = '{"query":"{ missions { totalCount } }"}';
const length = `content-length: ${body.length}`;
const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
const chunked = 'transfer-encoding: chunked';

// What made two servers read two requests, or one server hold or do too much, in issues of Node, llhttp, ws, fastify, undici and Yoga.
const sent: Readonly<Record<string, { readonly lines: readonly string[]; body?: string; status: number }>> = {
  'a length, and chunks': { lines: [length, chunked], body: chunk, status: 400 },
  'two lengths': { lines: [length, 'content-length: 5'], status: 400 },
  'a length with a sign': { lines: [`content-length: +${body.length}`], status: 400 },
  'an unknown transfer coding': { lines: ['transfer-encoding: xchunked'], body: chunk, status: 400 },
  'chunks that are not the last coding': { lines: ['transfer-encoding: chunked, identity'], body: chunk, status: 400 },
  'an extension of a chunk that never ends': { lines: [chunked], body: `1;${'a'.repeat(100_000)}`, status: 413 },
  'trailers that never end': { lines: [chunked], body: chunk.slice(0, -2) + 'x: y\r\n'.repeat(5_000), status: 431 },
  'a header over two lines': { lines: [length, 'x-a: b\r\n c: d'], status: 400 },
  'a blank before a colon': { lines: [`content-length : ${body.length}`], status: 400 },
  'a name that is no ASCII': { lines: [length, 'x-é: 1'], status: 400 },
  'a NUL': { lines: [length, 'x-request-id: a\0b'], status: 400 },
  'more headers than are counted': {
    lines: [length, ...Array.from({ length: 2_500 }, (_, at) => `x${at}: y`)],
    status: 431,
  },
  'one long header': { lines: [length, `x-long: ${'x'.repeat(17_000)}`], status: 431 },
  'a header with a long name': { lines: [length, `${'x'.repeat(17_000)}: 1`], status: 431 },
  'a chain of codings': { lines: [length, `content-encoding: ${Array(500).fill('gzip').join(', ')}`], status: 415 },
  'an unknown expectation': { lines: [length, 'expect: 200-ok'], status: 417 },
};

const head = ['POST /graphql HTTP/1.1', 'host: a', 'authorization: Bearer test-key', 'content-type: application/json'];

test.for(Object.entries(sent))(
  '%s is refused, and others are served',
  async ([, { lines, body: own = body, status }], { gateway, upstream }) => {
    const heard = await talk(gateway.url, { pieces: [[...head, ...lines, '', own].join('\r\n')], waitMs: 40_000 });
    expect(heard.responses.map((response) => response.status)).toEqual([status]);
    expect(upstream.requests).toEqual([]);
    expect((await gateway.query('{ __typename }')).data).toEqual({ __typename: 'Query' });
    expect(gateway.log.join('')).not.toContain('internal error');
  },
);
