import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createSharedReports, refusalBelievedMs } from '../../src/fleet/fleet.ts';
import { createCallerSecrets, fleetCallers } from '../../src/fleet/shared-store.ts';

const scope = 'https://api.example.com/v2';
const own = createCallerSecrets(scope)({ key: 'key-a', identity: 'a' });
const bytes = fc.uint8Array({ maxLength: 2_000 }).map((array) => Buffer.from(array));

describe('what is sealed for a caller', () => {
  test('opens in its place, with the same key in front of the same API, in another process too', () => {
    const elsewhere = createCallerSecrets(scope)({ key: 'key-a', identity: 'another name' });
    fc.assert(
      fc.property(bytes, fc.string(), (content, place) => {
        expect(elsewhere.open(place, own.seal(place, content))).toEqual(content);
      }),
    );
  });

  test('opens in no other place, with no other key, and in front of no other API', () => {
    const others = [
      createCallerSecrets(scope)({ key: 'key-b', identity: 'a' }),
      createCallerSecrets('https://other.example.com/v2')({ key: 'key-a', identity: 'a' }),
    ];
    fc.assert(
      fc.property(bytes, fc.string(), fc.string(), (content, place, otherPlace) => {
        fc.pre(place !== otherPlace);
        const sealed = own.seal(place, content);
        expect(own.open(otherPlace, sealed)).toBeNull();
        for (const other of others) expect(other.open(place, sealed)).toBeNull();
      }),
    );
  });

  test('does not open with any bit changed, with any length cut off, or with anything added', () => {
    fc.assert(
      fc.property(bytes, fc.nat(), fc.integer({ min: 0, max: 7 }), (content, position, bit) => {
        const sealed = own.seal('place', content);
        const at = position % sealed.length;
        const changed = Buffer.from(sealed);
        changed[at] = (changed[at] ?? 0) ^ (1 << bit);
        expect(own.open('place', changed)).toBeNull();
        expect(own.open('place', sealed.subarray(0, at))).toBeNull();
        expect(own.open('place', Buffer.concat([sealed, Buffer.alloc(1 + (position % 40))]))).toBeNull();
      }),
    );
  });
});

test('names in the store are the same for the same key and API, and no others', () => {
  const namesOf = (api: string, key: string): string[] => {
    const secrets = createCallerSecrets(api)({ key, identity: 'a' });
    return [secrets.name, ...['caller', 'feed x', 'feed y'].map((place) => secrets.nameOf(place))];
  };
  const names = [namesOf(scope, 'key-a'), namesOf(scope, 'key-b'), namesOf(`${scope}/`, 'key-a')];
  expect(new Set(names.flat()).size).toBe(12);
  expect(namesOf(scope, 'key-a')).toEqual(names[0]);
});

test('names in the store lead back to a caller of this process for as long as it is remembered', () => {
  const secretsOf = createCallerSecrets(scope);
  const { name } = secretsOf({ key: 'key-a', identity: 'a' });
  expect([secretsOf.named(name)?.identity, secretsOf.named('nobody')]).toEqual(['a', undefined]);
  for (let n = 0; n < fleetCallers; n++) secretsOf({ key: `key-${n}`, identity: `${n}` });
  expect(secretsOf.named(name)).toBeUndefined();
});

test('a refusal is believed of who has the key, for a moment: nothing else that comes over Redis refuses a caller', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const caller = { key: 'own', identity: 'own here' };
  const sent: Buffer[] = [];
  const heard: unknown[] = [];
  let hear: (notice: Buffer) => void = () => {};
  const send = (_channel: string, notice: Buffer) => void sent.push(notice);
  const notices = { send, watch: (_channel: string, run: typeof hear) => ((hear = run), () => {}) };
  const secretsOf = createCallerSecrets(scope);
  const shared = createSharedReports(null, notices, secretsOf, 1_000);
  shared.watchRefusals((...refusal) => heard.push(refusal));
  shared.refuse(caller, 403, 'GET /charges_summary');
  const [real] = sent as [Buffer];
  hear(real);
  expect(heard.splice(0)).toEqual([['own here', 403, 'GET /charges_summary']]);
  // Not sealed; for somebody else; once more, later on.
  const { name } = secretsOf(caller);
  hear(Buffer.from(`${name}401 GET /charges_summary`));
  hear(Buffer.concat([Buffer.from(secretsOf({ key: 'other', identity: 'other' }).name), real.subarray(name.length)]));
  vi.setSystemTime(Date.now() + refusalBelievedMs);
  hear(real);
  expect(heard).toEqual([]);
});
