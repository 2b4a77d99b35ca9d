import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { createLog } from '../../src/telemetry/log.ts';
import { loggedFields, type RequestLine } from '../../src/telemetry/request-line.ts';

const text = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9_.:=+/-]{1,128}$/),
  fc.constantFrom('[redacted]', '/graphql (stream)', '"', '\\', '\u007F', '\u2028', 'é', '\uD800', '\n', ''),
  fc.string({ unit: 'binary', maxLength: 20 }),
);
const line: fc.Arbitrary<RequestLine> = fc.record({
  requestId: text,
  method: fc.option(text, { nil: undefined }),
  endpoint: fc.constantFrom('/graphql', '/graphql (stream)', '/exports/charges-breakdown.csv', 'other'),
  status: fc.integer({ min: 100, max: 599 }),
  durationMs: fc.integer({ min: 0, max: 100_000_000 }).map((hundredths) => hundredths / 100),
  operationName: fc.option(text, { nil: null }),
  errorCodes: fc.oneof(fc.constant([]), fc.array(fc.constantFrom('NOT_FOUND', 'FORBIDDEN'), { maxLength: 4 })),
  upstreamCalls: fc.nat(),
  aborted: fc.boolean(),
});

function logged(level: string, write: (log: ReturnType<typeof createLog>) => void): readonly string[] {
  const lines: string[] = [];
  write(createLog(level, { write: (written) => lines.push(written) }));
  return lines;
}

test('the line of a request is the line of pino, byte for byte', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    fc.assert(
      fc.property(line, (given) => {
        const own = logged('info', (log) => log.request(given));
        expect(own).toEqual(logged('info', (log) => log.info(loggedFields(given), 'request')));
        expect(own).toHaveLength(1);
        expect(() => JSON.parse(own[0] ?? '')).not.toThrow();
      }),
      { numRuns: 2_000 },
    );
  } finally {
    vi.useRealTimers();
  }
});

test('no request line is written where the level is above info', () => {
  const [given] = fc.sample(line, 1);
  if (given === undefined) throw new Error('There is a sample.');
  expect(logged('warn', (log) => log.request(given))).toEqual([]);
  expect(logged('silent', (log) => log.request(given))).toEqual([]);
});
