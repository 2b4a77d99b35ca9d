import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../../errors.ts';

const name = 'authorization';

/** The values of all Authorization headers of a request; undefined where it has none. Node's own `headers` has the first alone. */
export function authorizationIn({ headers, rawHeaders }: IncomingMessage): string | undefined {
  let values: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (isAuthorization(rawHeaders[at])) {
      if (values === undefined) values = headers.authorization ?? '';
      else values += ` ${rawHeaders[at + 1]}`;
    }
  return values;
}

/** The refusal of a request with two Authorization headers, null for others: a proxy before us may have read the other one. */
export function secondCredential({ rawHeaders }: IncomingMessage): GatewayError | null {
  let count = 0;
  // Every request comes here: to have Node sort the headers out by name would cost a microsecond.
  for (let at = 0; at < rawHeaders.length; at += 2) if (isAuthorization(rawHeaders[at])) count++;
  if (count < 2) return null;
  return new GatewayError('BAD_USER_INPUT', { message: 'A request has one Authorization header at most.' });
}

function isAuthorization(header: string | undefined): boolean {
  return header?.length === name.length && header.toLowerCase() === name;
}
