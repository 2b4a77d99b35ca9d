import type { Json } from './json.ts';

/** A response other than 200, thrown where it is decided and written by the server as it is. */
export class Refusal extends Error {
  override name = 'Refusal';
  readonly status: number;
  readonly body: Json;

  constructor(status: number, body: Json) {
    super(`refused with ${status}`);
    this.status = status;
    this.body = body;
  }
}

type Source = { pointer: string } | { parameter: string };

/** A refusal in the errors envelope (contract, "Errors"). */
export function envelope(status: number, code: string, title: string, detail: string, source?: Source): Refusal {
  return new Refusal(status, {
    errors: [
      { code, title, detail, ...(source && { source }), meta: { url: `https://docs.example.com/errors/${code}` } },
    ],
  });
}

/** 400, code 10015, naming the query parameter that caused it. */
export function badParameter(parameter: string, detail: string): Refusal {
  return envelope(400, '10015', 'Bad Request', detail, { parameter });
}

/** 400, code 10015, pointing at the sort. */
export function badSort(): Refusal {
  return envelope(400, '10015', 'Bad Request', 'The sort field is not known.', { pointer: '/sort' });
}

/** 401, code 10009: the key is missing, malformed or unknown. */
export function authenticationFailed(): Refusal {
  return envelope(401, '10009', 'Authentication failed', 'Could not understand the provided credentials.');
}

/** 403, code 10010: the key is good but may not read this. */
export function notAuthorized(): Refusal {
  return envelope(403, '10010', 'Not authorized', 'You are not authorized to access the requested resource.', {
    pointer: '/',
  });
}

/** 404, code 10005: no such record or path. */
export function notFound(): Refusal {
  return envelope(404, '10005', 'Resource not found', 'The requested resource or URL could not be found.');
}

/** 405, code 10008: the sandbox is read-only. */
export function methodNotAllowed(): Refusal {
  return envelope(405, '10008', 'Method not allowed', 'Only GET is allowed for this resource.');
}

/** 422, code 10027: the billing account of the key does not exist. */
export function unknownAccount(): Refusal {
  return envelope(422, '10027', 'Unprocessable Entity', 'The user account was not found.');
}

/** 500, code 10007: the sandbox itself failed. */
export function unexpected(): Refusal {
  return envelope(500, '10007', 'Unexpected error', 'An unexpected error occurred.');
}

/** One fault in the dialect of the missions endpoint. */
export interface ValidationFault {
  readonly loc: string[];
  readonly msg: string;
  readonly type: string;
}

/** 422 in the `{detail: [...]}` shape of the missions endpoint. */
export function invalid(detail: ValidationFault[]): Refusal {
  return new Refusal(422, { detail: detail.map((fault) => ({ ...fault })) });
}
