import fc from 'fast-check';
import Negotiator from 'negotiator';
import { expect, test } from 'vitest';
import { preferredType, readAccept } from '../../../src/http/request/media-types.ts';

const types = ['application/json', 'application/graphql-response+json'];
const others = 'application/* */* text/event-stream multipart/mixed text/* text/html text/plain a/b'.split(' ');
const ranges = [...types, ...others];
const weights = ['', ';q=0', ';q=0.0', ';q=0.3', '; q=0.7', ';Q=0.7', ' ; q=1', ';q=1.000'];

const range = fc.record({ name: fc.constantFrom(...ranges), weight: fc.constantFrom(...weights), upper: fc.boolean() });
const accepts = fc
  .uniqueArray(range, { minLength: 1, selector: ({ name }) => name })
  .map((all) => all.map(({ name, weight, upper }) => (upper ? name.toUpperCase() : name) + weight).join(', '));

test('chooses the media type that the negotiator package chooses, by weight and by precision', () => {
  fc.assert(
    fc.property(accepts, (accept) => {
      const negotiator = new Negotiator({ headers: { accept } });
      const takes = (type: string): boolean => negotiator.mediaTypes([type]).length > 0;
      const { whole, events } = readAccept(accept);
      expect(events === 'text/event-stream').toBe(takes('text/event-stream'));
      expect(whole === null).toBe(![...types, 'text/event-stream', 'multipart/mixed'].some(takes));
      if (whole !== null && types.includes(whole)) expect(whole).toBe(negotiator.mediaTypes(types)[0]);
    }),
    { numRuns: 5_000 },
  );
});

test('prefers the media type of several that the negotiator package prefers, or else the first', () => {
  const guides = ['text/markdown', 'text/html', 'text/plain'] as const;
  fc.assert(
    fc.property(accepts, (accept) => {
      const [preferred] = new Negotiator({ headers: { accept } }).mediaTypes([...guides]);
      expect(preferredType(accept, guides)).toBe(preferred ?? guides[0]);
    }),
    { numRuns: 5_000 },
  );
  expect(preferredType(undefined, guides)).toBe('text/markdown');
});

test('prefers pieces and pages where they are named with at least the weight of JSON, in a form that is served', () => {
  const pieces = (accept: string) => readAccept(accept).pieces;
  expect(pieces('Multipart/Mixed, application/json;q=0.9')).toBe('multipart/mixed');
  expect(pieces('multipart/mixed;q=0.1, application/json')).toBeNull();
  for (const other of ['incrementalSpec="v0.2"', 'deferSpec=20230821', 'boundary=x;incrementalSpec=v0.1']) {
    expect(pieces(`multipart/mixed; ${other}, text/event-stream`), other).toBe('text/event-stream');
    expect(pieces(`multipart/mixed;${other}, multipart/mixed`), other).toBe('multipart/mixed');
    expect(readAccept(`multipart/mixed;${other}`).whole).toBeNull();
  }
  for (const form of ['boundary=graphql', 'deferSpec="20220824"', 'boundary="-";DeferSpec=20220824'])
    expect(pieces(`application/json, multipart/mixed;${form}`), form).toBe('multipart/mixed');
  expect(readAccept('multipart/mixed;subscriptionSpec=1.0')).toMatchObject({ events: 'multipart/mixed', pieces: null });
  const page = (accept?: string) => readAccept(accept).takesPage;
  expect(page('text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8')).toBe(true);
  expect(page('application/json, text/html;q=0.9')).toBe(false);
  expect(page('*/*')).toBe(false);
});
