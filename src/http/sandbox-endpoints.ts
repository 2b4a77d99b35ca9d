import { GatewayError } from '../errors.ts';
import { readOnly, refuseMethod, sendJson, type Endpoints, type Handler } from './endpoint.ts';
import { faultOfHead, parseBody, type BodyReader } from './request/body-reader.ts';
import type { Request } from './request/request.ts';
import { sendErrors } from './response/error-response.ts';

/** What moves the embedded sandbox. */
export interface SandboxControls {
  /** Its present, in milliseconds since 1970. */
  now(): number;
  /** Responds to one of its paths; a refusal has the API's own envelope. */
  respond(request: SandboxRequest): SandboxResponse | Promise<SandboxResponse>;
  /** Runs whenever its clock has been set. */
  whenSet(run: () => void): void;
}

/** A request for the sandbox itself; `header` is X-Sandbox. */
export interface SandboxRequest {
  readonly path: string;
  readonly authorization?: string | undefined;
  readonly header?: string | undefined;
  readonly body?: unknown;
}

export interface SandboxResponse {
  readonly status: number;
  readonly body: object;
}

/** The endpoints that exist before the embedded sandbox alone: its keys, faults and clock; deliveries on demand; the clock. */
export function createSandboxEndpoints(sandbox: SandboxControls, bodies: BodyReader): Endpoints {
  async function pass({ req, res, url }: Request, body?: unknown): Promise<void> {
    const { authorization, 'x-sandbox': header } = req.headers;
    const response = await sandbox.respond({ path: url.pathname, authorization, header: header?.toString(), body });
    if (response.status >= 400) throw refusalIn(response);
    sendJson(res, response.status, response.body);
  }

  // A page of another origin cannot send JSON without asking first.
  const post: Handler = async (request) => {
    const { req, res } = request;
    if (req.method !== 'POST') return refuseMethod(request, 'POST');
    const fault = faultOfHead(req.headers);
    if (fault === null) return pass(request, parseBody(await bodies.whole(req, res), JSON.parse));
    const refusal = new GatewayError('BAD_USER_INPUT', { message: 'Send application/json, in UTF-8 and not encoded.' });
    for (const [name, value] of Object.entries(fault.headers)) res.setHeader(name, value);
    return sendErrors(request, refusal, 415);
  };

  return {
    '/sandbox': readOnly((request) => pass(request)),
    '/sandbox/clock': post,
    '/sandbox/deliveries': post,
  };
}

/** The refusal in the API's envelope, with the member at fault. */
function refusalIn({ status, body }: SandboxResponse): GatewayError {
  const [first] = (body as { errors: { detail: string; source?: { parameter?: string } }[] }).errors;
  const { detail: message = '', source } = first ?? {};
  const argument = source?.parameter;
  const code = status === 401 ? 'UNAUTHENTICATED' : 'BAD_USER_INPUT';
  return new GatewayError(code, { message, ...(argument !== undefined && { argument: [argument] }) });
}
