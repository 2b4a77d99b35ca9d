import { messageLength } from '../bounds.ts';
import type { Exchange } from '../http/request/exchange.ts';

interface ProtocolFault {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Bounds an error of the protocol, and hides the caller's key in it: the SDK quotes headers and parameters. */
export async function withSafeError(response: Response, { hideKey }: Pick<Exchange, 'hideKey'>): Promise<Response> {
  const { status, headers } = response;
  if (headers.get('content-type') !== 'application/json') return response;
  const text = await response.text();
  const body = text.includes('"error":{') ? (JSON.parse(text) as { readonly error?: ProtocolFault }) : {};
  if (body.error === undefined) return new Response(text, { status, headers });
  const { code, message, data } = withIssues(body.error);
  const dataText = JSON.stringify(data) ?? '';
  const isSafe = dataText !== '' && dataText.length <= messageLength && hideKey(dataText) === dataText;
  const error = { code, message: hideKey(message, messageLength), ...(isSafe && { data }) };
  return Response.json({ ...body, error }, { status, headers });
}

const internalError = -32_603;
const invalidParams = -32_602;

/** One thing that is wrong with a message, as the SDK lists them in the message of its error. */
interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** The SDK reports parameters that do not fit as a fault of its own, with a list of issues as the message. */
function withIssues(fault: ProtocolFault): ProtocolFault {
  const issues = fault.code === internalError ? issuesIn(fault.message) : [];
  if (issues.length === 0) return fault;
  const message = issues.map(({ path, message: issue }) => `${path.join('.')}: ${issue}.`).join(' ');
  return { code: invalidParams, message };
}

function issuesIn(message: string): readonly Issue[] {
  if (!message.startsWith('[')) return [];
  try {
    const issues = JSON.parse(message) as readonly Issue[];
    return issues.filter((issue) => Array.isArray(issue.path) && typeof issue.message === 'string');
  } catch {
    return [];
  }
}
