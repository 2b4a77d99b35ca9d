import type { Account } from './account.ts';
import type { Model, Reply } from './model.ts';

/** An error as a client reads it. */
export interface GraphqlError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions?: {
    readonly code?: string;
    readonly retryable?: boolean;
    readonly requestId?: string;
    readonly upstream?: { readonly status?: number };
  };
}

const catalogue = new Set([
  'BAD_USER_INPUT',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'NOT_FOUND',
  'UNPROCESSABLE_ENTITY',
  'RATE_LIMITED',
  'UPSTREAM_ERROR',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_BAD_RESPONSE',
  'QUERY_TOO_COMPLEX',
]);

interface Judged {
  readonly account: Account;
  readonly replica: number;
  readonly document: string;
  readonly codes: readonly string[];
}

/** The codes for which something that has happened is a reason. */
export function codesAllowed(
  model: Model,
  account: Account,
  replica: number,
  from: number,
  to: number,
): ReadonlySet<string> {
  const allowed = new Set(model.faults.codesFor(account.number, from, to));
  const manners = Object.values(account.manners);
  const isMoving = Object.values(account.lists).some((list) => list.between(from, to).length > 1);
  if (isMoving) allowed.add('UPSTREAM_ERROR').add('QUERY_TOO_COMPLEX');
  if (manners.some(({ lie, meta }) => lie !== 'none' || meta !== 'whole'))
    allowed.add('UPSTREAM_BAD_RESPONSE').add('UPSTREAM_ERROR').add('QUERY_TOO_COMPLEX');
  if (manners.some(({ clamp }) => clamp !== null) || model.settings.scanPages < 60) allowed.add('QUERY_TOO_COMPLEX');
  // So few rows a page that the calls of a long one do not suffice, or those of one that is read again and again.
  if (manners.some(({ clamp }) => clamp !== null && (clamp < 10 || isMoving))) allowed.add('UPSTREAM_BAD_RESPONSE');
  for (const code of model.troubles.codesOfTroubles(replica, from - 5_000, to)) allowed.add(code);
  // A replica that stops gives up what takes longer than ten seconds.
  if (model.troubles.isReplaced(replica, from, to) && to - from > 9_000) allowed.add('UPSTREAM_UNAVAILABLE');
  // Replies that the world holds back come too late where little time is given, and so many that the operation is left alone.
  if (model.settings.hasShortTimes) allowed.add('UPSTREAM_TIMEOUT').add('UPSTREAM_UNAVAILABLE');
  // With few slots even a fair share may be none.
  const isUnknown = model.isUnknownInFlood(account.number, replica, from, to);
  if (model.settings.hasFewSlots || isUnknown || model.isGreedy(account.number, from, to))
    allowed.add('UPSTREAM_UNAVAILABLE').add('UPSTREAM_TIMEOUT');
  return allowed;
}

/** Every error is one of the catalogue, at a path that is null, and something that has happened is its reason. */
export function judgeErrors(model: Model, reply: Reply, { account, replica, document, codes }: Judged): void {
  const { errors, data, from, to } = reply;
  const allowed = new Set([...codes, ...codesAllowed(model, account, replica, from, to)]);
  for (const { message, path, extensions } of errors) {
    const code = extensions?.code ?? 'none';
    model.count(`error ${code}`);
    if (!catalogue.has(code)) model.breach('every error is one of the catalogue', `${code} ${message}: ${document}`);
    else if (!allowed.has(code))
      model.breach('every error has a reason', `${code} ${message} at ${path?.join('.')}: ${document}`);
    if (code === 'UPSTREAM_UNAVAILABLE') judgeBreaker(model, reply, { account, replica, document, codes });
    if (data !== null && path !== undefined && valueAt(data, path) != null)
      model.breach('an error stands where the value is null', `${path.join('.')}: ${document}`);
  }
  if (data === null && errors.length === 0) model.breach('an answer has data or errors', document);
}

// So many failures open a breaker, of a caller or of several.
const leastFailures = { own: 10, callers: 3 };

/** A caller whose calls are not sent has had failures enough for that. */
function judgeBreaker(model: Model, { from, to }: Reply, { account, replica, document, codes }: Judged): void {
  const isBusy =
    model.settings.hasFewSlots ||
    model.settings.hasShortTimes ||
    model.isUnknownInFlood(account.number, replica, from, to) ||
    model.isGreedy(account.number, from, to) ||
    codes.includes('UPSTREAM_UNAVAILABLE');
  if (isBusy || model.calls.within(account.number, from, to).length > 0) return;
  if (
    model.troubles.codesOfTroubles(replica, from - 60_000, to).length > 0 ||
    model.troubles.isReplaced(replica, from, to)
  )
    return;
  const failures = model.accounts.map(({ number }) => model.faults.countFor(number, from - 300_000, to));
  const isOpen =
    (failures[account.number] ?? 0) >= leastFailures.own ||
    failures.filter((count) => count > 0).length >= leastFailures.callers;
  if (!isOpen) model.breach('a failing operation alone is left alone', `${failures.join()} failures: ${document}`);
}

/** The value at a path, or the first null on the way. */
function valueAt(data: unknown, path: readonly (string | number)[]): unknown {
  let value = data;
  for (const name of path) {
    if (value === null || value === undefined) return null;
    value = (value as Readonly<Record<string | number, unknown>>)[name];
  }
  return value;
}
