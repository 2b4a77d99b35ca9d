// RFC 6750, section 2.1: b64token. The scheme is case-insensitive (RFC 9110, section 11.1).
const bearer = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;
const longestHeader = 4096;

/** The API key in an Authorization header; null where there is none or it has not the form of a bearer key. */
export function bearerKeyOf(authorization: string | undefined): string | null {
  if (authorization === undefined || authorization.length > longestHeader) return null;
  return bearer.exec(authorization)?.[1] ?? null;
}

/** Takes every spelling of `key` out of a text that the upstream wrote: plain, percent-encoded and base64. */
export function withoutKey(text: string, key: string): string {
  const spellings = [key, encodeURIComponent(key), Buffer.from(key).toString('base64').replace(/=+$/, '')];
  return spellings.reduce((rest, spelling) => rest.replaceAll(spelling, '[redacted]'), text);
}
