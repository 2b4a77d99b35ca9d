import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
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
