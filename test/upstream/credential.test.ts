import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { keptCredentialLength, keptCredentialMs, keptCredentials } from '../../src/bounds.ts';
import { callerIdentityOf, createCredentialReader, type ReadCredential } from '../../src/upstream/credential.ts';
import { createKeyHiding, hideCallerKey } from '../../src/upstream/key-redaction.ts';
import { createKnownCallers } from '../../src/upstream/stages/known-callers.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const everybody = { isAccepted: () => true };

/** Whether a reader keeps a credential: then it has the same object for it again. */
function isKept(read: ReadCredential, authorization: string): boolean {
  return read(authorization) === read(authorization);
}

test('a credential is read as its key, and named by the key alone', () => {
  const { read } = createCredentialReader(everybody);
  const named = { key: 'a-key', isKeyTooLong: false, identity: callerIdentityOf('a-key') };
  for (const header of ['Bearer a-key', 'bearer   a-key', 'BEARER a-key', 'Bearer a-key'])
    expect(read(header)).toEqual(named);
  expect(read('Bearer another').identity).not.toBe(named.identity);
});

test.for([undefined, '', 'Bearer', 'Bearer a b', 'Basic abc', `Bearer ${'k'.repeat(100_000)}`])(
  'a header without a key names nobody, and is not kept: %s',
  (header) => {
    const { read } = createCredentialReader(everybody);
    expect(read(header)).toMatchObject({ key: null, identity: '', isKeyTooLong: (header?.length ?? 0) > 5_000 });
    expect(isKept(read, header ?? '')).toBe(false);
  },
);

test('credentials are kept that the API has accepted, not those that it never saw or has refused since', () => {
  const known = createKnownCallers();
  const { read } = createCredentialReader(known);
  // After a start nobody is a stranger, and no key has been accepted.
  expect(known.has(callerIdentityOf('a-key'))).toBe(true);
  expect(isKept(read, 'Bearer a-key')).toBe(false);
  known.learn(callerIdentityOf('a-key'), 200);
  expect([isKept(read, 'Bearer a-key'), isKept(read, 'Bearer another')]).toEqual([true, false]);
  known.learn(callerIdentityOf('a-key'), 401);
  vi.advanceTimersByTime(2 * keptCredentialMs);
  expect(isKept(read, 'Bearer a-key')).toBe(false);
});

test('credentials that are long are not kept', () => {
  const { read } = createCredentialReader(everybody);
  const headerOf = (length: number): string => 'Bearer '.padEnd(length, 'k');
  expect(isKept(read, headerOf(keptCredentialLength))).toBe(true);
  expect(isKept(read, headerOf(keptCredentialLength + 1))).toBe(false);
});

test('a credential is forgotten when its caller stays away, and kept while the caller comes back', () => {
  const { read } = createCredentialReader(everybody);
  const first = read('Bearer a-key');
  vi.advanceTimersByTime(keptCredentialMs);
  expect(read('Bearer a-key')).toBe(first);
  vi.advanceTimersByTime(keptCredentialMs);
  expect(read('Bearer a-key')).toBe(first);
  vi.advanceTimersByTime(2 * keptCredentialMs);
  expect(read('Bearer a-key')).not.toBe(first);
  vi.advanceTimersByTime(3 * keptCredentialMs);
  // Nothing is kept, and no timer runs for it.
  expect(vi.getTimerCount()).toBe(0);
});

test('a bounded number of credentials is kept, those of the newest requests', () => {
  const { read } = createCredentialReader(everybody);
  const first = read('Bearer key-0');
  for (let index = 1; index <= keptCredentials; index++) read(`Bearer key-${index}`);
  expect(read('Bearer key-0')).not.toBe(first);
  const last = `Bearer key-${keptCredentials}`;
  expect(read(last)).toBe(read(last));
});

test('headers that end alike are told apart, in whatever order they come', () => {
  const { read, keptKey } = createCredentialReader(everybody);
  const headers = [
    'Bearer one-key',
    'Bearer two-key',
    'Bearer -key',
    'bearer one-key',
    'Bearer key',
    'Bearer ey',
    'Bearer y',
  ];
  const named = headers.map((header) => read(header));
  for (let round = 0; round < 3; round++)
    for (const [at, header] of headers.entries()) {
      expect(read(header)).toBe(named[at]);
      expect(keptKey(header)).toBe(header.slice('Bearer '.length));
    }
  expect(new Set(named.map(({ identity }) => identity)).size).toBe(headers.length - 1);
});

test('a key is known as long as its credential is kept', () => {
  const { read, keptKey } = createCredentialReader(everybody);
  expect(keptKey('Bearer a-key')).toBeNull();
  read('Bearer a-key');
  expect(keptKey('Bearer a-key')).toBe('a-key');
  vi.advanceTimersByTime(keptCredentialMs);
  expect(keptKey('Bearer a-key')).toBe('a-key');
  vi.advanceTimersByTime(2 * keptCredentialMs);
  expect(keptKey('Bearer a-key')).toBeNull();
});

test.for([
  undefined,
  '',
  'Bearer a-key',
  'Bearer a-long-key-0123456789',
  'Bearer one two three-of-them',
  'Basic YS1sb25nLWtleQ==',
])('the key of %s is hidden in the same way, whether it is kept or not', (header) => {
  const { read, keptKey } = createCredentialReader(everybody);
  const hideKey = createKeyHiding(keptKey);
  const texts = [
    'Name',
    'a-key',
    'x a-long-key-0123456789',
    'three-of-them',
    btoa('a-long-key-0123456789'),
    'a-long-key-0123',
  ];
  const cases = texts.flatMap((text) => [undefined, 3, 16].map((limit) => [text, limit] as const));
  const hidden = cases.map(([text, limit]) => hideCallerKey(text, header, limit));
  expect(cases.map(([text, limit]) => hideKey(text, header, limit))).toEqual(hidden);
  read(header);
  expect(cases.map(([text, limit]) => hideKey(text, header, limit))).toEqual(hidden);
});
