/** A response other than 200, thrown where it is decided and written by the server as it is. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly status: number;
  readonly body: object;

  constructor(status: number, body: object) {
    super(`refused with ${status}`);
    this.status = status;
    this.body = body;
  }
}

type Source = { readonly pointer: string } | { readonly parameter: string };

const titles = {
  10005: 'Resource not found',
  10007: 'Unexpected error',
  10008: 'Method not allowed',
  10009: 'Authentication failed',
  10010: 'Not authorized',
  10015: 'Bad Request',
  10027: 'Unprocessable Entity',
};

/** A refusal in the errors envelope (contract, "Errors"). */
function envelope(status: number, code: keyof typeof titles, detail: string, source?: Source): Refusal {
  const meta = { url: `https://docs.example.com/errors/${code}` };
  return new Refusal(status, {
    errors: [{ code: String(code), title: titles[code], detail, ...(source && { source }), meta }],
  });
}

/** Names the query parameter that caused it. */
export function badParameter(parameter: string, detail: string): Refusal {
  return envelope(400, 10015, detail, { parameter });
}

export const badSort = envelope(400, 10015, 'The sort field is not known.', { pointer: '/sort' });

/** The key is missing, malformed or unknown. */
export const authenticationFailed = envelope(401, 10009, 'Could not understand the provided credentials.');

/** The key is good but may not read this. */
export const notAuthorized = envelope(403, 10010, 'You are not authorized to access the requested resource.', {
  pointer: '/',
});

/** No such record or path. */
export const notFound = envelope(404, 10005, 'The requested resource or URL could not be found.');

/** The sandbox is read-only. */
export const methodNotAllowed = envelope(405, 10008, 'Only GET is allowed for this resource.');

/** The billing account of the key does not exist. */
export const unknownAccount = envelope(422, 10027, 'The user account was not found.');

/** The sandbox itself failed. */
export const unexpected = envelope(500, 10007, 'An unexpected error occurred.');

/** One fault in the dialect of the missions endpoint. */
export interface ValidationFault {
  readonly loc: readonly string[];
  readonly msg: string;
  readonly type: string;
}

/** 422 in the `{detail: [...]}` shape of the missions endpoint. */
export function invalid(detail: readonly ValidationFault[]): Refusal {
  return new Refusal(422, { detail });
}
