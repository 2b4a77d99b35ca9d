/** How the text of one setting is read: undefined means that it cannot be used. `config.ts` says then what was expected. */
export type Parse<T> = (text: string) => T | undefined;

/** Reads the value of a variable: the fallback where it is unset, or cannot be used, which `config.ts` reports. */
export type Read = <T>(variable: string, fallback: T, expected: string, parse: Parse<T>) => T;

/** The variables of the process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** One of several texts. */
export function oneOf<Choice extends string>(choices: readonly Choice[]): Parse<Choice> {
  return (text) => choices.find((choice) => choice === text);
}

/** A whole number from `least` to `most`, written in decimal digits alone. */
export function wholeNumber(least: number, most: number): Parse<number> {
  return (text) => {
    const value = /^\d{1,12}$/.test(text) ? Number(text) : -1;
    return value >= least && value <= most ? value : undefined;
  };
}

const moment = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/** The milliseconds since 1970 of a moment with a zone, from 2000 to 2099. */
export function presentMoment(text: string): number | undefined {
  const [, day = ''] = moment.exec(text) ?? [];
  const isDay = new Date(Date.parse(`${day}T00:00:00Z`) || 0).toISOString().startsWith(day);
  const millis = isDay && day !== '' ? Date.parse(text) : Number.NaN;
  return millis >= Date.UTC(2000) && millis < Date.UTC(2100) ? millis : undefined;
}

/** `true` or `false`, and nothing that looks like them. */
export function flag(text: string): boolean | undefined {
  if (text === 'true') return true;
  return text === 'false' ? false : undefined;
}

/** An absolute URL that HTTP or HTTPS reaches. */
export function httpUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url : undefined;
}

/** The text of an HTTP URL of origin and path alone, without trailing slashes. */
export function baseUrl(text: string): string | undefined {
  const url = httpUrl(text);
  if (url === undefined) return undefined;
  const bare = url.origin + url.pathname;
  return url.href === bare ? bare.replace(/\/+$/, '') : undefined;
}

/** The URL of a proxy, with credentials where it has them; a host without a scheme is taken for an HTTP one, as curl does. */
export function proxyUrl(text: string): string | undefined {
  const url = httpUrl(text.includes('://') ? text : `http://${text}`);
  if (url === undefined || url.pathname !== '/' || url.search !== '' || url.hash !== '') return undefined;
  return isDecodable(url.username + url.password) ? url.href : undefined;
}

/** The text of a URL of Redis as its client understands it: host, port, number of a database, credentials. */
export function redisUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || url.hostname === '' || !['redis:', 'rediss:'].includes(url.protocol)) return undefined;
  // The client would take anything else for the name of a database, or overlook it.
  const isPlain = /^(?:\/\d{0,4})?$/.test(url.pathname) && url.search === '' && url.hash === '';
  return isPlain && isDecodable(url.username + url.password) ? text : undefined;
}

function isDecodable(text: string): boolean {
  try {
    return decodeURIComponent(text).length >= 0;
  } catch {
    return false;
  }
}

/** Origins, separated by commas, as browsers and the web views of apps write them. */
export function origins(text: string): readonly string[] | undefined {
  const names = text.split(',').map((name) => name.trim());
  return names.every(isOrigin) ? names : undefined;
}

/**
 * Whether pages may have this origin. A pattern matches none: it is refused, not taken for what it does not do. `null` is no origin to
 * trust: every page can have it, in a frame of its own.
 */
function isOrigin(name: string): boolean {
  const url = URL.parse(name);
  if (url === null || name.includes('*')) return false;
  if (httpUrl(name) !== undefined) return url.origin === name;
  // Of web views: a scheme, and a host where it has one.
  return name === 'file://' || (url.href === name && /^[^:]+:\/\/[^\s/?#@\\]+$/.test(name));
}

/** Issuers of tokens (RFC 8414, section 2). */
export function issuers(text: string): readonly string[] | undefined {
  const names = text.split(',').map((name) => name.trim());
  return names.every((name) => isBare(httpUrl(name)) && !/[?#]/.test(name)) ? names : undefined;
}

/** Whether there is a URL, and no credentials in it. */
export function isBare(url: URL | undefined): url is URL {
  return url !== undefined && url.username === '' && url.password === '';
}
