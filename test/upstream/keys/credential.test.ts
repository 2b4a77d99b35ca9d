import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  callerIdentityOf,
  createCredentialReader,
  credentialOf,
  withoutCredential,
  type ReadCredential,
  keyLength,
  keptCredentialMs,
} from '../../../src/upstream/credential.ts';
import { createKnownCallers } from '../../../src/upstream/stages/known-callers.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const everybody = { has: () => true };

/** Whether a reader keeps a credential: then it has the same object for it again. */
function isKept(read: ReadCredential, authorization: string): boolean {
  return read(authorization) === read(authorization);
}

test('a credential is read as its key, and named by the key alone', () => {
  const read = createCredentialReader(everybody);
  const named = { key: 'a-key', isKeyTooLong: false, identity: callerIdentityOf('a-key') };
  for (const header of ['Bearer a-key', 'bearer   a-key', 'BEARER a-key', 'Bearer a-key'])
    expect(read(header)).toEqual(named);
  expect(read('Bearer another').identity).not.toBe(named.identity);
});

test.for([undefined, '', 'Bearer', 'Bearer a b', 'Basic abc', `Bearer ${'k'.repeat(100_000)}`])(
  'a header without a key names nobody, and is not kept: %s',
  (header) => {
    const read = createCredentialReader(everybody);
    expect(read(header)).toMatchObject({ key: null, identity: '', isKeyTooLong: (header?.length ?? 0) > 5_000 });
    expect(isKept(read, header ?? '')).toBe(false);
  },
);

test('a key may be as long as the limit, and the refusal of a longer one says so', () => {
  const longest = 'k'.repeat(keyLength);
  const tooLong = { key: null, isKeyTooLong: true };
  expect(credentialOf(`Bearer ${longest}`)).toEqual({ key: longest, isKeyTooLong: false });
  expect(credentialOf(`Bearer ${longest}k`)).toEqual(tooLong);
  // A header of another form is too long where no key could be in it.
  expect(credentialOf('!'.repeat('Bearer '.length + keyLength))).toEqual({ key: null, isKeyTooLong: false });
  expect(credentialOf('!'.repeat('Bearer '.length + keyLength + 1))).toEqual(tooLong);
  expect(withoutCredential(tooLong)).toMatchObject({
    code: 'UNAUTHENTICATED',
    message: expect.stringContaining(`too long: a key has ${keyLength} characters at most`),
  });
  for (const credential of [{ isKeyTooLong: false }, {}])
    expect(withoutCredential(credential).message).toContain('needs your own API key');
});

test('credentials are kept that the API has accepted, not those that it never saw or has refused since', () => {
  const known = createKnownCallers();
  const read = createCredentialReader(known);
  expect(isKept(read, 'Bearer a-key')).toBe(false);
  known.learn(callerIdentityOf('a-key'), 200);
  expect([isKept(read, 'Bearer a-key'), isKept(read, 'Bearer another')]).toEqual([true, false]);
  known.learn(callerIdentityOf('a-key'), 401);
  vi.advanceTimersByTime(keptCredentialMs + 1);
  expect(isKept(read, 'Bearer a-key')).toBe(false);
});

test('a credential is forgotten after its time, and then nothing is kept', () => {
  const read = createCredentialReader(everybody);
  const first = read('Bearer a-key');
  vi.advanceTimersByTime(keptCredentialMs - 1);
  expect(read('Bearer a-key')).toBe(first);
  vi.advanceTimersByTime(2);
  expect(vi.getTimerCount()).toBe(0);
  expect(read('Bearer a-key')).not.toBe(first);
});
