import fc from 'fast-check';
import { Histogram, Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createHistogram } from '../../src/telemetry/metric-types.ts';

const options = { name: 'seconds', help: 'What takes\nhow long.', buckets: [0.001, 0.05, 1, 10] };
const labels = ['endpoint', 'status'] as const;

const observation = fc.tuple(
  fc.constantFrom('/graphql', 'other', 'a "quoted" name', 'back\\slash'),
  fc.constantFrom('200', '404', '500'),
  fc.oneof(
    fc.constantFrom(0, 0.001, 0.05, 1, 10, 10.000_001, -0),
    fc.double({ min: 0, max: 20, noNaN: true }),
    fc.nat({ max: 1e9 }),
  ),
);

test('a histogram prints what prom-client prints, whenever it is asked', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(observation, { maxLength: 30 }), { maxLength: 4 }), async (batches) => {
      const [own, theirs] = [new Registry(), new Registry()];
      const observe = createHistogram(own, options.name, options.help, labels, options.buckets);
      const histogram = new Histogram({ ...options, labelNames: [...labels], registers: [theirs] });
      for (const batch of [[], ...batches]) {
        for (const [endpoint, status, seconds] of batch) {
          observe(endpoint, status, seconds);
          histogram.labels(endpoint, status).observe(seconds);
        }
        expect(await own.metrics()).toBe(await theirs.metrics());
      }
    }),
    { numRuns: 200 },
  );
});
