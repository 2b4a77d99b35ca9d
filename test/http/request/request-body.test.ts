import { expect, test } from '../../support/gateway.ts';
import { talk } from '../../support/http.ts';

// Sixty-four mebibytes are for all workers together.
test('a worker has its part of the room for unfinished bodies', async ({ startWith }) => {
  const { url } = await startWith({}, { workers: 64 });
  const half = `POST /graphql HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 900000\r\n\r\n${' '.repeat(700_000)}`;
  const leaving = Promise.withResolvers<void>();
  const begun = [0, 1].map(async () => {
    const heard = await talk(url, { pieces: [half], waitMs: 40_000, leaving: leaving.promise });
    leaving.resolve();
    return heard.responses.map(({ status }) => status);
  });
  expect((await Promise.all(begun)).flat()).toEqual([429]);
});
