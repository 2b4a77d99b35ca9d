import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { smallBody } from '../../../src/bounds.ts';
import { handOn } from '../../../src/http/request/body-reader.ts';

test.for([
  ['small', smallBody, 0],
  ['larger', smallBody + 1, 1],
] as const)('a %s body that has been read is handed on: %d bytes after %d ticks', async ([, length, ticks]) => {
  let passed = 0;
  setImmediate(() => passed++);
  const { body } = handOn({} as IncomingMessage, Buffer.alloc(length)) as unknown as {
    readonly body: AsyncIterable<Buffer>;
  };
  for await (const chunk of body) expect([chunk.length, passed]).toEqual([length, ticks]);
});
