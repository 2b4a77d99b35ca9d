/** The variables of the process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What the text of a setting may be. */
export interface Form<Value> {
  /** In words, for whoever has to correct it. */
  readonly expected: string;
  /** Returns undefined for a text that cannot be used. */
  readonly parse: (text: string) => Value | undefined;
}

function form<Value>(expected: string, parse: Form<Value>['parse']): Form<Value> {
  return { expected, parse };
}

/** `true` or `false`, and nothing that looks like them. */
export const flag = form('true or false', (text) => (text === 'true' ? true : text === 'false' ? false : undefined));

/** Any text. */
export function anyText(expected: string): Form<string> {
  return form(expected, (text) => text);
}

/** One of several texts. */
export function oneOf<const Choice extends string>(choices: readonly Choice[]): Form<Choice> {
  const expected = choices.length > 2 ? `one of ${choices.join(', ')}` : choices.join(' or ');
  return form(expected, (text) => choices.find((choice) => choice === text));
}

/** One of several texts in small letters, for variables of which a specification says that the case of letters does not matter. */
export function anyCase<const Choice extends string>(choices: readonly Choice[]): Form<Choice> {
  const { expected, parse } = oneOf(choices);
  return form(expected, (text) => parse(text.toLowerCase()));
}

/** A whole number within bounds, written in decimal digits alone. */
export function wholeNumber(least: number, most: number, what = 'a whole number'): Form<number> {
  return form(`${what} from ${least} to ${most}`, (text) => {
    const value = /^\d{1,12}$/.test(text) ? Number(text) : -1;
    return value >= least && value <= most ? value : undefined;
  });
}

/** A whole number, or `auto`. */
export function numberOrAuto(least: number, most: number): Form<number | 'auto'> {
  const { expected, parse } = wholeNumber(least, most);
  return form(`${expected}, or auto`, (text) => (text === 'auto' ? text : parse(text)));
}

/** A number from 0 to 1. */
export const ratio = form('a number from 0 to 1', (text) =>
  /^\d+(?:\.\d+)?$/.test(text) && Number(text) <= 1 ? Number(text) : undefined,
);

const moment = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/** The milliseconds since 1970 of a moment with a zone. */
export const presentMoment = form(
  'a moment from 2000 to 2099 in ISO 8601, such as 2026-11-01T00:00:00Z',
  (text): number | undefined => {
    const [, day = ''] = moment.exec(text) ?? [];
    const isDay = new Date(Date.parse(`${day}T00:00:00Z`) || 0).toISOString().startsWith(day);
    const millis = isDay && day !== '' ? Date.parse(text) : Number.NaN;
    return millis >= Date.UTC(2000) && millis < Date.UTC(2100) ? millis : undefined;
  },
);

export const hostName = form('a host name or address', (text) => (/^[\w.:-]{1,200}$/.test(text) ? text : undefined));

/** An absolute URL that HTTP or HTTPS reaches. */
function httpUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : undefined;
}

function isBare(text: string): boolean {
  const url = httpUrl(text);
  return url !== undefined && url.username === '' && url.password === '';
}

/** The text of an HTTP URL. */
export function bareUrl(example: string): Form<string> {
  return form(`an http(s) URL without credentials, such as ${example}`, (text) => (isBare(text) ? text : undefined));
}

/** The text of an HTTP URL of origin and path alone, without trailing slashes. */
export function baseUrl(example: string): Form<string> {
  return form(`an http(s) URL without credentials, query or fragment, such as ${example}`, (text) => {
    const url = httpUrl(text);
    const bare = url && url.origin + url.pathname;
    return url?.href === bare ? bare?.replace(/\/+$/, '') : undefined;
  });
}

/** The URL of a proxy, with credentials where it has them; a host without a scheme is taken for an HTTP one, as curl does. */
export const proxyUrl = form('the http(s) URL of a proxy, such as http://proxy.example.com:3128', (text) => {
  const url = httpUrl(text.includes('://') ? text : `http://${text}`);
  if (url === undefined || url.pathname !== '/' || url.search !== '' || url.hash !== '') return undefined;
  return isDecodable(url.username + url.password) ? url.href : undefined;
});

/** The text of a URL of Redis as its client understands it: host, port, number of a database, credentials. */
export const redisUrl = form(
  'a URL such as redis://store.example.com:6379 or rediss://user:password@store.example.com',
  (text) => {
    const url = URL.parse(text);
    if (url === null || url.hostname === '' || !['redis:', 'rediss:'].includes(url.protocol)) return undefined;
    // The client would take anything else for the name of a database, or overlook it.
    const isPlain = /^(?:\/\d{0,4})?$/.test(url.pathname) && url.search === '' && url.hash === '';
    return isPlain && isDecodable(url.username + url.password) ? text : undefined;
  },
);

function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text).length >= 0;
  } catch {
    return false;
  }
}

/** Names that are separated by commas. */
function list(expected: string, isName: (name: string) => boolean): Form<readonly string[]> {
  return form(`a comma-separated list of ${expected}`, (text) => {
    const names = text.split(',').map((name) => name.trim());
    return names.every(isName) ? names : undefined;
  });
}

/**
 * Origins as browsers and the web views of apps write them. A pattern matches none: it is refused, not taken for what it does not do.
 * `null` is no origin to trust: every page can have it, in a frame of its own.
 */
export const origins = list(
  'origins such as https://app.example.com or capacitor://localhost, without credentials or a slash at the end',
  (name) => {
    const url = URL.parse(name);
    if (url === null || name.includes('*')) return false;
    if (httpUrl(name) !== undefined) return url.origin === name;
    // Of web views: a scheme, and a host where it has one.
    return name === 'file://' || (url.href === name && /^[^:]+:\/\/[^\s/?#@\\]+$/.test(name));
  },
);

/** Issuers of tokens (RFC 8414, section 2). */
export const issuers = list(
  'http(s) URLs without credentials, query or fragment, such as https://login.example.com',
  (name) => isBare(name) && !/[?#]/.test(name),
);
