/** The labels of form fields by the arguments that they fill, e.g. `filter.status.eq`. */
export type Labels = Readonly<Record<string, string>>;

const titles: Readonly<Record<string, string>> = {
  BAD_USER_INPUT: 'Not accepted',
  UNAUTHENTICATED: 'Key refused',
  FORBIDDEN: 'Not allowed',
  NOT_FOUND: 'Not found',
  UNPROCESSABLE_ENTITY: 'Not possible for this account',
  RATE_LIMITED: 'Too many requests',
  UPSTREAM_ERROR: 'Error of the platform',
  UPSTREAM_TIMEOUT: 'No answer in time',
  UPSTREAM_UNAVAILABLE: 'Platform unavailable',
  UPSTREAM_BAD_RESPONSE: 'Unexpected answer of the platform',
  QUERY_TOO_COMPLEX: 'Too much at once',
  INTERNAL_SERVER_ERROR: 'Error of the gateway',
  NETWORK_ERROR: 'No connection',
};

/** An error code in words. The catalogue may grow: an unknown code is an error without a kind. */
export function titleOf(code: string): string {
  return Object.hasOwn(titles, code) ? (titles[code] ?? code) : 'Error';
}

/** A message in which the arguments of a form are called by their labels. */
export function worded(message: string, labels: Labels): string {
  const names = Object.keys(labels).toSorted((a, b) => b.length - a.length);
  if (names.length === 0) return message;
  const pattern = new RegExp(`(?<![\\w.])(?:${names.map((name) => RegExp.escape(name)).join('|')})(?!\\w|\\.\\w)`, 'g');
  return message.replace(pattern, (name) => `“${labels[name] ?? name}”`);
}
