import { randomUUID } from 'node:crypto';

/**
 * Returns the id of a request: the caller's X-Request-Id where it is sane, else a new one. It is logged and sent upstream, so it
 * must not hold the caller's key.
 */
export type ReadRequestId = (given: string | string[] | undefined, hideKey: (text: string) => string) => string;

// Long enough for a UUID, a ULID or a trace id with prefixes; nothing that could break a header or a log line.
const saneRequestId = /^[A-Za-z0-9_.:=+/-]{1,128}$/;
const countedDigits = 12;
const lastDigits = Array.from({ length: 256 }, (_, value) => value.toString(16).padStart(2, '0'));

/**
 * Creates the reader of request ids. New ones begin with a random text and are counted: random ones cost a hundredth of a small
 * request.
 */
export function createRequestIdReader(): ReadRequestId {
  const start = randomUUID().slice(0, -countedDigits);
  let count = 0;
  let head = '';
  const next = (): string => {
    const last = count % lastDigits.length;
    if (last === 0) head = start + (count / lastDigits.length).toString(16).padStart(countedDigits - 2, '0');
    count++;
    return head + (lastDigits[last] ?? '');
  };
  return (given, hideKey) => {
    const isSane = typeof given === 'string' && saneRequestId.test(given) && hideKey(given) === given;
    return isSane ? given : next();
  };
}
