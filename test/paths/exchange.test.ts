import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { healthyReply } from '../support/records.ts';
import { outcomeOf, startPaths, countsDuring, type Paths } from './every-path.ts';
import type { Exchange } from './exchange-case.ts';
import { ofSettings, operationExchanges } from './operation-exchanges.ts';
import { valueExchanges } from './value-exchanges.ts';

const settings: readonly (readonly [
  name: string,
  env: Readonly<Record<string, string>>,
  exchanges: readonly Exchange[],
])[] = [
  ['by default', {}, [...operationExchanges, ...valueExchanges]],
  ['with secrets, and little room', { EXPOSE_SECRETS: 'true', LIMIT_COST: '30' }, ofSettings],
];

describe.for(settings)('a gateway %s', ([, env, exchanges]) => {
  let paths: Paths;
  beforeAll(async () => {
    paths = await startPaths(env);
  });
  afterAll(() => paths.close());

  test.for(exchanges.map((one, index) => [one.name, one, `case-${index}`] as const))(
    'answers an unknown query, a known one and one as an event as graphql-js does: %s',
    async ([, exchange, id]) => {
      const { request, event, reply = healthyReply, way, eventWay, data } = exchange;
      const { gateway, judge, upstream } = paths;
      upstream.script(reply);
      const expected = await outcomeOf(paths, judge, request, id);
      const { errors, text, calls } = expected;
      if (data !== undefined) expect(text).toContain(`{"data":${data}`.replace(/\}$/, ''));
      // No text of an error has half of a character.
      expect(errors.join()).not.toMatch(/(?<!\\)\\ud[89a-f]/i);
      const askAgain = async (): Promise<void> =>
        expect(await outcomeOf(paths, gateway, request, id)).toEqual(expected);
      const askForEvent = async (): Promise<void> =>
        expect(await outcomeOf(paths, gateway, event, id)).toMatchObject({ errors, text, calls });
      await askAgain();
      if (way === undefined) {
        await askAgain();
        await askForEvent();
        return;
      }
      // Whoever hands over counts nothing twice.
      const { violations } = await countsDuring(judge, () => outcomeOf(paths, judge, request, id));
      expect(await countsDuring(gateway, askAgain)).toEqual({ ways: [way], violations });
      const ways = [eventWay ?? (way === 'bytes' ? 'compiled' : way)];
      expect(await countsDuring(gateway, askForEvent)).toEqual({ ways, violations });
    },
  );

  test('has no fault of the gateway in its log', () => {
    for (const { log } of [paths.gateway, paths.judge]) expect(log.join('')).not.toContain('internal error');
  });
});
