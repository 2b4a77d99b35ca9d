import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fleetCallers } from '../../src/bounds.ts';
import { createCallerSecrets } from '../../src/fleet/caller-secrets.ts';

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

describe('names in the store', () => {
  test('are the same for the same key and API, and no others', () => {
    const secretsOf = createCallerSecrets(scope);
    const names = [
      secretsOf({ key: 'key-a', identity: 'a' }),
      secretsOf({ key: 'key-b', identity: 'b' }),
      createCallerSecrets(`${scope}/`)({ key: 'key-a', identity: 'a' }),
    ].flatMap((secrets) => [
      secrets.name,
      secrets.nameOf('caller'),
      secrets.nameOf('feed x'),
      secrets.nameOf('feed y'),
    ]);
    expect(new Set(names).size).toBe(names.length);
    expect(own.name).toBe(names[0]);
    expect(own.nameOf('feed x')).toBe(names[2]);
  });

  test('lead back to a caller of this process for as long as it is remembered', () => {
    const secretsOf = createCallerSecrets(scope);
    const { name } = secretsOf({ key: 'key-a', identity: 'a' });
    expect(secretsOf.identityOf(name)).toBe('a');
    expect(secretsOf.identityOf('nobody')).toBeUndefined();
    for (let n = 0; n < fleetCallers; n++) secretsOf({ key: `key-${n}`, identity: `${n}` });
    expect(secretsOf.identityOf(name)).toBeUndefined();
  });
});
