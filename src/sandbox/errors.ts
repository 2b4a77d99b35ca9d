/** A response that is no answer, thrown where it is decided and written by the server as it is. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly status: number;
  /** JSON; or text, which is HTML unless it is empty. */
  readonly body: object | string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: object | string, headers: Readonly<Record<string, string>> = {}) {
    super(`refused with ${status}`);
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

const titles = {
  10005: 'Resource not found',
  10007: 'Unexpected error',
  10008: 'Method not allowed',
  10009: 'Authentication failed',
  10010: 'Not authorized',
  10011: 'Too many requests',
  10015: 'Bad Request',
  10027: 'Unprocessable Entity',
};

/** A refusal in the errors envelope (contract, "Errors"). */
function envelope(status: number, code: keyof typeof titles, detail: string, source?: object, headers = {}): Refusal {
  const meta = { url: `https://docs.example.com/errors/${code}` };
  const error = { code: String(code), title: titles[code], detail, ...(source && { source }), meta };
  return new Refusal(status, { errors: [error] }, headers);
}

export function badParameter(parameter: string, detail: string): Refusal {
  return envelope(400, 10015, detail, { parameter });
}

/** The key has used up its calls, for so many seconds. */
export function tooManyRequests(seconds: number): Refusal {
  const wait = String(seconds);
  const limits = { 'x-ratelimit-limit': '100', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': wait };
  const headers = { 'retry-after': wait, ...limits };
  return envelope(429, 10011, 'You have exceeded the number of allowed requests.', undefined, headers);
}

/** What the edge in front of an API sends in its place. */
export const badGatewayPage = '<html><head><title>Bad gateway</title></head><body>Bad gateway</body></html>';

/** Refusals that say the same whatever was asked. */
export const refusals = {
  badRequest: envelope(400, 10015, 'The request was not well-formed.'),
  badSort: envelope(400, 10015, 'The sort field is not known.', { pointer: '/sort' }),
  badBody: envelope(400, 10015, 'Send an object of JSON, as application/json.'),
  authenticationFailed: envelope(401, 10009, 'Could not understand the provided credentials.'),
  notAuthorized: envelope(403, 10010, 'You are not authorized to access the requested resource.', { pointer: '/' }),
  notFound: envelope(404, 10005, 'The requested resource or URL could not be found.'),
  notAllowed: envelope(405, 10008, 'Only GET is allowed for this resource.', undefined, { allow: 'GET' }),
  unknownAccount: envelope(422, 10027, 'The user account was not found.'),
  unexpected: envelope(500, 10007, 'An unexpected error occurred.'),
};
