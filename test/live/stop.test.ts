import { subscribe } from '../support/event-stream.ts';
import { expect, test } from '../support/gateway.ts';
import { all, failed, growing, quick } from './subscription.ts';

test('a stop of the gateway ends all streams with an error', async ({ startWith, upstream }) => {
  growing(upstream);
  const gateway = await startWith(quick);
  const streams = await Promise.all([subscribe(gateway, all), subscribe(gateway, failed)]);
  await gateway.close();
  for (const stream of streams) {
    await stream.ended;
    expect(stream.events).toMatchObject([
      { name: 'next', data: { errors: [{ extensions: { code: 'UPSTREAM_UNAVAILABLE', retryable: true } }] } },
      { name: 'complete' },
    ]);
  }
});
