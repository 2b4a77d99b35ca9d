import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { createLog } from '../../src/telemetry/log.ts';
import { loggedFields, type RequestLine } from '../../src/telemetry/request-line.ts';

const text = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9_.:=+/-]{1,128}$/),
  fc.constantFrom('[redacted]', '/graphql (stream)', '"', '\\', '\u007F', '\u2028', 'é', '\uD800', '\n', ''),
  fc.string({ unit: 'binary', maxLength: 20 }),
);
const optional = fc.option(text, { nil: null });
const line: fc.Arbitrary<RequestLine> = fc.record({
  requestId: text,
  method: fc.option(text, { nil: undefined }),
  endpoint: fc.constantFrom('/graphql', '/graphql (stream)', '/exports/charges-breakdown.csv', 'other', '/health'),
  status: fc.integer({ min: 100, max: 599 }),
  durationMs: fc.integer({ min: 0, max: 100_000_000 }).map((hundredths) => hundredths / 100),
  operationName: optional,
  trustedOperation: optional,
  errorCodes: fc.oneof(fc.constant([]), fc.array(fc.constantFrom('NOT_FOUND', 'FORBIDDEN'), { maxLength: 4 })),
  upstreamCalls: fc.nat(),
  aborted: fc.boolean(),
  trace: fc.option(
    fc.record({ traceId: fc.stringMatching(/^[0-9a-f]{32}$/), spanId: fc.stringMatching(/^[0-9a-f]{16}$/) }),
    {
      nil: null,
    },
  ),
  client: fc.record({ name: optional, version: optional, userAgent: optional }),
});
const moment = fc.integer({ min: 0, max: 4_102_444_800_000 });

function logged(level: string, write: (log: ReturnType<typeof createLog>) => void): readonly string[] {
  const lines: string[] = [];
  write(createLog(level, { write: (written) => lines.push(written) }));
  return lines;
}

test('the line of a request is the line of pino, byte for byte, and JSON', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 4 }), moment, (lines, now) => {
        vi.setSystemTime(now);
        const levelOf = ({ endpoint }: RequestLine) => (endpoint === '/health' ? 'debug' : 'info');
        const own = logged('debug', (log) => lines.forEach((given) => log.request(given)));
        const byPino = logged('debug', (log) =>
          lines.forEach((given) => log[levelOf(given)](loggedFields(given), 'request')),
        );
        expect(own).toEqual(byPino);
        expect(own.map((written) => JSON.parse(written))).toMatchObject(
          lines.map((given) => ({
            level: levelOf(given),
            time: new Date(now).toISOString(),
            requestId: given.requestId,
          })),
        );
        for (const written of own) expect(written).toMatch(/^[^\n]+\n$/);
      }),
      { numRuns: 1_000 },
    );
  } finally {
    vi.useRealTimers();
  }
});

test('no request line is written where the level is above its own', () => {
  const [given] = fc.sample(line, 1);
  if (given === undefined) throw new Error('There is a sample.');
  for (const level of ['warn', 'silent']) expect(logged(level, (log) => log.request(given))).toEqual([]);
  for (const endpoint of ['/health', '/ready', '/metrics']) {
    const probe = { ...given, endpoint };
    expect(logged('info', (log) => log.request(probe))).toEqual([]);
    expect(logged('debug', (log) => log.request(probe))).toHaveLength(1);
  }
});
