import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { requestBody } from '../bounds.ts';
import type { AppConfig } from '../config.ts';
import { GatewayError, statusOf } from '../errors.ts';
import type { GraphqlExecution } from '../http/operation-run.ts';
import { createHostCheck, isLoopback, type HostOptions, isAmong } from '../http/origins.ts';
import { type BodyReader, excessOfJson, faultOfHead, parseBody } from '../http/request/body-reader.ts';
import { takesType } from '../http/request/media-types.ts';
import type { Request } from '../http/request/request.ts';
import { keepForCaller, sendJson } from '../http/response/cache-headers.ts';
import { type Endpoints, type Handler, readOnly } from '../http/router.ts';
import { isJsonObject } from '../json.ts';
import type { Message, Protocol, ProtocolFormat } from './protocol.ts';
import { readTools, createQueryTool, type ToolParts } from './tools.ts';

/** A query of an agent's own may cost one part in so many of LIMIT_COST: it is not reviewed, and its result is read by a model. */
export const freeQueryPart = 4;

/** Characters of the method and the identifier of a message. Responses return the identifier. */
export const messageNameLength = 200;

/** Members, items, lists and objects of a message: the SDK copies each several times. A query for as much as `nodes` takes has half. */
export const messageValues = 1_000;

/** The server of tools. */
interface McpServer {
  readonly endpoints: Endpoints;
  /** Loads the protocol, for which the first request would wait. */
  readonly load: () => Promise<unknown>;
}

interface McpServerOptions extends ToolParts {
  readonly config: AppConfig;
  readonly origins: HostOptions['origins'];
  /** Creates the execution of operations that may cost so much. */
  readonly executionWithin: (mostCost: number) => GraphqlExecution;
  /** The reader of `/graphql`: unfinished bodies have one bound together. */
  readonly bodies: BodyReader;
}

const refused = -32_000;
const parseError = -32_700;
const invalidRequest = -32_600;
const invalidParams = -32_602;

/**
 * Creates the endpoint of the tool server (MCP, "Streamable HTTP"): POST with one message at a time. Calls run as `/graphql` runs
 * operations. Throws an error of one line where a document cannot be a tool.
 */
export function createMcpServer(options: McpServerOptions, format: ProtocolFormat): McpServer {
  const { config, executionWithin, origins, bodies } = options;
  const check = createRequestGuard({ ...config, origins });
  const tools = [...readTools(config.mcpOperations, options)];
  const execution = executionWithin(Math.floor(config.limitCost / freeQueryPart));
  if (config.mcpQueries) tools.push(createQueryTool({ ...options, execution }, config.introspection));
  // The SDK takes a tenth of a second to load, and many gateways have no tools.
  const loadProtocol = async () => (await import('./protocol.ts')).createProtocol(tools, format);
  let protocol: Promise<Protocol> | null = null;
  const load = (): Promise<Protocol> => (protocol ??= loadProtocol());

  async function receive(request: Request): Promise<Message> {
    const { req, res } = request;
    check(req.headers);
    if (req.method !== 'POST') throw new Refusal(405, 'Send each message by POST: there are no sessions.');
    if (!takesType(req.headers.accept, 'application/json')) throw new Refusal(406, 'A response is application/json.');
    const fault = faultOfHead(req.headers);
    for (const [name, value] of Object.entries(fault?.headers ?? {})) res.setHeader(name, value);
    if (fault !== null) throw new Refusal(415, 'Send the message as application/json, in UTF-8 and not encoded.');
    checkLength(Number(req.headers['content-length']));
    const body = await bodies.read(req, res);
    checkLength(body.length);
    const excess = excessOfJson(body, messageValues);
    if (excess !== null) throw excess;
    const message = readMessage(body, request);
    readMeta(message, req.headers, request);
    return message;
  }

  const respond: Handler = async (request) => {
    const message = await receive(request).catch((error: unknown) => refuse(error, request));
    if (message === undefined) return;
    const serve = await load();
    await serve(message, request);
  };

  // Where it cannot be loaded, the first request reports the failure.
  return { endpoints: { '/mcp': respond }, load: () => load().catch(() => {}) };
}

/** A refusal of a message that the protocol does not see: the status of HTTP, and the code of JSON-RPC. */
class Refusal extends Error {
  readonly status: number;
  readonly code: number;
  /** The request that it answers; null where none is known. */
  readonly id: unknown;

  constructor(status: number, message: string, code = refused, id: unknown = null) {
    super(message);
    this.status = status;
    this.code = code;
    this.id = id;
  }
}

function refuse(error: unknown, request: Request): void {
  const { res } = request;
  keepForCaller(res);
  if (error instanceof Refusal) {
    const { status, message, code, id } = error;
    request.noteErrors(['BAD_REQUEST']);
    if (status === 405) res.setHeader('allow', 'POST');
    sendError(res, status, { code, message }, id);
  } else if (error instanceof GatewayError) {
    const { code, message, retryable, details } = error;
    const status = statusOf(code);
    request.noteErrors([code]);
    const data = { code, retryable, ...details.excess };
    sendError(res, status, { code: status === 400 ? invalidRequest : refused, message, data });
  } else throw error;
}

/** Sends an error of JSON-RPC about a message that the protocol does not see. */
function sendError(res: ServerResponse, status: number, error: object, id: unknown = null): void {
  sendJson(res, status, { jsonrpc: '2.0', id, error });
}

function checkLength(bytes: number): void {
  if (bytes > requestBody) throw new Refusal(413, `A message has at most ${requestBody} bytes.`);
}

/** The identifier, which a response returns as it came, is bounded here and holds no key. */
function readMessage(body: Buffer, { hideKey }: Pick<Request, 'hideKey'>): Message {
  const value = parseBody(body);
  if (value === undefined) throw new Refusal(400, 'The body is no JSON in UTF-8.', parseError);
  if (!isJsonObject(value)) throw invalid('The body must be one JSON-RPC message.');
  const { jsonrpc, method, id, params } = value;
  // Any other number would be returned as one that the client has not sent.
  const isReturnable = id === undefined || Number.isSafeInteger(id) || (isName(id) && hideKey(id) === id);
  if (jsonrpc !== '2.0') throw invalid('jsonrpc must be "2.0".');
  if (method !== undefined && !isName(method)) throw invalid('method must be a short text.');
  if (!isReturnable) throw invalid('id must be a whole number below 2^53 or a short text.');
  // As the SDK answers other parameters that do not fit: under any other status clients do not look for their id.
  const misfit = (name: string): Refusal =>
    new Refusal(id === undefined ? 400 : 200, `${name} must be an object.`, invalidParams, id);
  if (params !== undefined && !isJsonObject(params)) throw misfit('params');
  const { arguments: given, _meta: meta = {} } = params ?? {};
  const args = given ?? {};
  if (!isJsonObject(args)) throw misfit('arguments');
  if (!isJsonObject(meta)) throw misfit('_meta');
  // Models send null for what they leave out, which the SDK refuses.
  return { value: given === null ? { ...value, params: { ...params, arguments: args } } : value, args };
}

const clientInfo = 'io.modelcontextprotocol/clientInfo';

/**
 * Takes from a message the name of its client and the trace that it continues, where no header has them. The log, the metrics and the
 * traces then know them as those of `/graphql`.
 */
function readMeta({ value }: Message, headers: IncomingHttpHeaders, { trace }: Pick<Request, 'trace'>): void {
  const params = value['params'];
  if (!isJsonObject(params)) return;
  const meta = isJsonObject(params['_meta']) ? params['_meta'] : {};
  // Before 2026-07-28, the first message of a client has it.
  const client = meta[clientInfo] ?? params['clientInfo'];
  if (isJsonObject(client) && headers['x-client-name'] === undefined && headers['x-client-version'] === undefined)
    for (const member of ['name', 'version']) {
      const text = client[member];
      // As Node reads headers.
      if (isName(text)) headers[`x-client-${member}`] = Buffer.from(text).toString('latin1');
    }
  const { traceparent, tracestate } = meta;
  if (headers['traceparent'] === undefined && isName(traceparent))
    trace?.continue({ traceparent, tracestate: isName(tracestate) ? tracestate : undefined });
}

function invalid(text: string): Refusal {
  return new Refusal(400, text, invalidRequest);
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= messageNameLength;
}

const loopback = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Refuses requests that a page has made a browser send (MCP, "Streamable HTTP", security warning). A process that listens everywhere and
 * knows no PUBLIC_URL cannot tell its hosts, and only looks at the origin.
 */
function createRequestGuard(options: HostOptions): (headers: IncomingHttpHeaders) => void {
  const { host, publicUrl, origins } = options;
  const isOwnHost = createHostCheck(options);
  const hosts = [...(publicUrl === null ? [] : [new URL(publicUrl).hostname]), ...(isLoopback(host) ? loopback : [])];
  return ({ host: target, origin = '' }) => {
    if (hosts.length > 0 && !isOwnHost(target)) throw new Refusal(403, 'The Host of the request is not this gateway.');
    if (origin !== '' && !isAmong(origins, origin) && !isAt(origin, hosts))
      throw new Refusal(403, 'The Origin of the request may not use these tools.');
  };
}

function isAt(url: string, hosts: readonly string[]): boolean {
  const parsed = URL.parse(url);
  return parsed !== null && /^https?:$/.test(parsed.protocol) && hosts.includes(parsed.hostname);
}

/** How the gateway is reached, and whose tokens the API takes. */
interface ResourceOptions {
  readonly publicUrl: string | null;
  readonly authorizationServers: readonly string[] | null;
  /** Whether there are tools; null means no. */
  readonly mcp: boolean | null;
}

/** What clients find out about the keys of a resource (RFC 9728). */
interface ResourceMetadata {
  /** None where the settings are not set. */
  readonly endpoints: Endpoints;
  /** The `WWW-Authenticate` that leads to the document of the tool server; null where there is none. */
  readonly challenge: string | null;
}

const wellKnown = '/.well-known/oauth-protected-resource';
const toolServer = '/mcp';

/** Creates the metadata of the gateway, and of its tool server where there is one. */
export function createResourceMetadata({ publicUrl, authorizationServers, mcp }: ResourceOptions): ResourceMetadata {
  if (publicUrl === null || authorizationServers === null) return { endpoints: {}, challenge: null };
  const hasTools = mcp === true;
  const { origin, pathname } = new URL(publicUrl);
  // The path of the resource follows the well-known one (RFC 9728, section 3.1).
  const base = pathname === '/' ? '' : pathname;
  const documentOf = (path: string) => ({
    resource: publicUrl + path,
    authorization_servers: authorizationServers,
    bearer_methods_supported: ['header'],
    resource_name: 'Switchboard',
  });
  const paths = hasTools ? ['', toolServer] : [''];
  const endpoints = paths.flatMap((path) => {
    const handle = readOnly(({ res }) => sendJson(res, 200, documentOf(path)));
    return [[wellKnown + path, handle] as const, [wellKnown + base + path, handle] as const];
  });
  const challenge = `Bearer resource_metadata="${origin}${wellKnown}${base}${toolServer}"`;
  return { endpoints: Object.fromEntries(endpoints), challenge: hasTools ? challenge : null };
}
