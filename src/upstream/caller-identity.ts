import { createHmac, randomBytes } from 'node:crypto';

const processKey = randomBytes(32);

/**
 * Names a caller in state that requests share: a keyed hash of the credential, of use to nobody outside this process. Equal
 * credentials have equal names; a credential cannot be told from its name.
 */
export function identityOf(key: string): string {
  return createHmac('sha256', processKey).update(key).digest('base64url');
}
