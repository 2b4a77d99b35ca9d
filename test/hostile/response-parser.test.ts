import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ResponseParser } from './response-parser.ts';

const wire = [
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: 1\r\nX-A: 2\r\n\r\nhello',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n',
  'HTTP/1.1 204 No Content\r\n\r\n',
  'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\nto the end',
].join('');

test('the response parser reads the same responses wherever the bytes are cut', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: wire.length }), { maxLength: 30 }), (places) => {
      const cuts = [0, ...places.sort((a, b) => a - b), wire.length];
      const parser = new ResponseParser();
      for (const [index, start] of cuts.slice(0, -1).entries())
        parser.take(Buffer.from(wire.slice(start, cuts[index + 1]), 'latin1'));
      parser.end();
      expect(parser.responses.map(({ status, body, isWhole }) => [status, body.toString(), isWhole])).toEqual([
        [200, 'hello', true],
        [200, 'abc0123456789', true],
        [204, '', true],
        [400, 'to the end', true],
      ]);
      expect(parser.responses[0]?.headers.get('x-a')).toBe('1, 2');
    }),
  );
});

test('distinguishes a response that was cut off from a whole one', () => {
  const parser = new ResponseParser();
  parser.take(Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell'));
  expect(parser.begun?.status).toBe(200);
  parser.end();
  expect(parser.responses).toMatchObject([{ status: 200, isWhole: false }]);
});
