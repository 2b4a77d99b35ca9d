import { expect, test } from 'vitest';
import { callerIdentityOf, createCredentialReader, credentialOf, keyLength } from '../../../src/upstream/credential.ts';

// Which headers have a key, and what is said of those that have none: fields/key.test.ts.

test('a credential is read as its key, and named by the key alone', () => {
  const read = createCredentialReader();
  const named = { key: 'a-key', isKeyTooLong: false, identity: callerIdentityOf('a-key') };
  for (const header of ['Bearer a-key', 'bearer   a-key', 'BEARER a-key']) expect(read(header)).toEqual(named);
  expect(read('Bearer another').identity).not.toBe(named.identity);
  for (const header of [undefined, '', 'Basic abc'])
    expect(read(header)).toEqual({ key: null, isKeyTooLong: false, identity: '' });
});

test('a header of another form is too long where no key could be in it', () => {
  const longest = '!'.repeat('Bearer '.length + keyLength);
  for (const [header, isKeyTooLong] of [
    [longest, false],
    [`${longest}!`, true],
  ] as const)
    expect(credentialOf(header)).toEqual({ key: null, isKeyTooLong });
});
