import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { healthyReply } from '../support/records.ts';
import { outcomeOf, startPaths, countsDuring, waysOf, type Outcome, type Paths } from './every-path.ts';
import { httpExchanges, ofOrigins, persistedExchanges } from './http-exchanges.ts';
import type { Exchange } from './exchange-case.ts';
import { ofSettings, operationExchanges } from './operation-exchanges.ts';
import { valueExchanges } from './value-exchanges.ts';

const folder = mkdtempSync(join(tmpdir(), 'switchboard-paths-'));
writeFileSync(
  join(folder, 'Missions.graphql'),
  'query Missions($n: Int) { missions(first: $n) { nodes { id name } } }',
);
afterAll(() => rmSync(folder, { recursive: true }));

const settings: readonly (readonly [
  name: string,
  env: Readonly<Record<string, string>>,
  exchanges: readonly Exchange[],
])[] = [
  ['by default', {}, [...httpExchanges, ...operationExchanges, ...valueExchanges]],
  ['open to other origins', { CORS_ORIGINS: 'https://app.example.com' }, ofOrigins],
  ['with secrets, and little room', { EXPOSE_SECRETS: 'true', LIMIT_COST: '30' }, ofSettings],
  ['with persisted operations', { PERSISTED_OPERATIONS: folder }, persistedExchanges],
  [
    'with persisted operations alone',
    { PERSISTED_OPERATIONS: folder, PERSISTED_OPERATIONS_ONLY: 'true' },
    persistedExchanges,
  ],
];

/** What an exchange promises of its outcome, whichever path was taken. */
function expectPromised({ status, headers, errors, text, calls }: Outcome, promised: Exchange): void {
  if (promised.status !== undefined) expect(status).toBe(promised.status);
  if (promised.type !== undefined) expect(headers.join('\n')).toContain(`content-type: ${promised.type}`);
  if (promised.data !== undefined) expect(text).toContain(`{"data":${promised.data}`.replace(/\}$/, ''));
  // No text of an error has half of a character.
  expect(errors.join()).not.toMatch(/(?<!\\)\\ud[89a-f]/i);
  if (promised.code === undefined) return;
  expect([errors.length > 0, text, calls]).toEqual([true, '{"errors":[…]}', []]);
  for (const error of errors) {
    // A limit is reported with its figures, unless the stack ended before.
    const { limit: _limit, actual: _actual, ...extensions } = JSON.parse(error).extensions;
    expect(extensions).toEqual({ code: promised.code, retryable: false, requestId: 'the-id' });
    expect(error).not.toMatch(/stack|node_modules|file:|\.ts\b|originalError/);
  }
}

describe.for(settings)('a gateway %s', ([, env, exchanges]) => {
  let paths: Paths;
  beforeAll(async () => {
    paths = await startPaths(env);
  });
  afterAll(() => paths.close());

  test.for(exchanges.map((one, index) => [one.name, one, `case-${index}`] as const))(
    'answers an unknown query, a known one and one as an event as graphql-js does: %s',
    async ([, exchange, id]) => {
      const { request, event, reply = healthyReply, way, eventWay } = exchange;
      const { gateway, judge, upstream } = paths;
      upstream.script(reply);
      const expected = await outcomeOf(paths, judge, request, id);
      expectPromised(expected, exchange);
      const askAgain = async (again: typeof request): Promise<void> =>
        expect(await outcomeOf(paths, gateway, again, id)).toEqual(expected);
      await askAgain(request);
      const askForEvent = async (): Promise<void> => {
        if (event === undefined) return;
        const { errors, text, calls } = await outcomeOf(paths, gateway, event, id);
        expect({ errors, text, calls }).toEqual({
          errors: expected.errors,
          text: expected.text,
          calls: expected.calls,
        });
      };
      if (way === undefined) {
        await askAgain(request);
        await askForEvent();
        return;
      }
      // Whoever hands over counts nothing twice.
      const { violations } = await countsDuring(judge, () => outcomeOf(paths, judge, request, id));
      expect(await countsDuring(gateway, () => askAgain(request))).toEqual({ ways: [way], violations });
      const ways = [eventWay ?? (way === 'bytes' ? 'compiled' : way)];
      expect(await countsDuring(gateway, askForEvent)).toEqual({ ways, violations });
    },
  );

  test('logs the same lines on every path', async () => {
    const { gateway, judge } = paths;
    const linesOf = ({ log }: { readonly log: readonly string[] }): readonly string[] =>
      log
        // The first broken promise of an hour is logged, and no second one.
        .filter((line) => /"requestId":"case-/.test(line) && !line.includes('contract violation'))
        .map((line) => line.replace(/"time":"[^"]*",|"durationMs":[\d.]+,?/g, ''));
    const distinct = (lines: readonly string[]): readonly string[] => [...new Set(lines)].toSorted();
    await expect.poll(() => distinct(linesOf(gateway))).toEqual(distinct(linesOf(judge)));
    expect(gateway.log.join('')).not.toContain('internal error');
  });

  test('has a judge that compiles nothing', async () => {
    expect(await waysOf(paths.judge)).toMatchObject({ bytes: 0, compiled: 0 });
  });
});
