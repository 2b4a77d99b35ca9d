import { expect, test } from 'vitest';
import {
  callerIdentityOf,
  createCredentialReader,
  credentialOf,
  withoutCredential,
  keyLength,
} from '../../../src/upstream/credential.ts';

test('a credential is read as its key, and named by the key alone', () => {
  const read = createCredentialReader();
  const named = { key: 'a-key', isKeyTooLong: false, identity: callerIdentityOf('a-key') };
  for (const header of ['Bearer a-key', 'bearer   a-key', 'BEARER a-key', 'Bearer a-key'])
    expect(read(header)).toEqual(named);
  expect(read('Bearer another').identity).not.toBe(named.identity);
});

test.for([undefined, '', 'Bearer', 'Bearer a b', 'Basic abc', `Bearer ${'k'.repeat(100_000)}`])(
  'a header without a key names nobody: %s',
  (header) => {
    const read = createCredentialReader();
    expect(read(header)).toMatchObject({ key: null, identity: '', isKeyTooLong: (header?.length ?? 0) > 5_000 });
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
