import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { checkReportDates, type ReportDates } from '../billing/date-interval.ts';
import { GatewayError, badArgument, gatewayErrorsOf } from '../errors.ts';
import { isCalendarDate } from '../moment.ts';
import { metricsType, type Metrics } from '../telemetry/metrics.ts';
import { faultOfHead, parseBody, type BodyReader } from './request/body-reader.ts';
import { preferredType } from './request/media-types.ts';
import type { Request } from './request/request.ts';
import { keepForCaller, sendJson, sendText, setCommonHeaders } from './response/cache-headers.ts';
import { type ChooseCoding, createKeptText, createCompressor } from './response/compression.ts';
import { sendErrors } from './response/error-response.ts';
import { readOnly, refuseMethod, type Endpoints, type Handler } from './router.ts';
import type { SocketServer } from './websocket/socket-server.ts';

/** Seconds for which caches may keep the schema. It changes with a release alone, and a generator may see that a little later. */
const sdlCacheSeconds = 300;

interface PublicEndpointOptions {
  readonly graphql: Handler;
  readonly sockets: Pick<SocketServer, 'refuse'>;
  /** Null where clients may not read the schema. */
  readonly sdl: string | null;
  /** Serves the page of GraphiQL; null where there are no pages for people. */
  readonly graphiql: Handler | null;
  readonly openReport: OpenReport;
  readonly chooseCoding: ChooseCoding;
}

/** The endpoints for clients (interface: "Process"). Only GraphQL takes POST and QUERY. */
export function createPublicEndpoints(options: PublicEndpointOptions): Endpoints {
  const { graphql, sockets, sdl, graphiql, openReport, chooseCoding } = options;
  return {
    '/graphql': (request) => {
      const { req, res } = request;
      // Whoever sends anything else may want to know of QUERY.
      if (req.method !== 'POST') res.setHeader('accept-query', 'application/json');
      if (!request.takesOperation && !request.isRead) return refuseMethod(request, 'GET, POST, QUERY');
      if (request.isRead) sockets.refuse(req);
      if (graphiql === null || !request.takesPage || wantsAnswer(request)) return graphql(request);
      setCommonHeaders(request);
      return graphiql(request);
    },
    '/exports/charges-breakdown.csv': readOnly((request) => {
      keepForCaller(request.res);
      return sendReport(request, openReport, chooseCoding);
    }),
    ...(sdl !== null && { '/schema.graphql': createSchemaDocument(sdl, chooseCoding) }),
  };
}

/** Whether a request that takes a page would rather have the answer to the query in its address, which the page only opens. */
function wantsAnswer({ req, url }: Request): boolean {
  if (!url.searchParams.has('query')) return false;
  const types = ['text/html', 'application/json', 'application/graphql-response+json'] as const;
  return preferredType(req.headers.accept, types) !== 'text/html';
}

/** Serves the schema in SDL to everybody, and lets caches keep it. A browser gets it as plain text, which it shows. */
function createSchemaDocument(sdl: string, chooseCoding: ChooseCoding): Handler {
  const send = createKeptText(Buffer.from(sdl), chooseCoding, `public, max-age=${sdlCacheSeconds}`);
  return readOnly(({ req, res, accepted }) =>
    send(req, res, accepted.takesPage ? 'text/plain' : 'application/graphql'),
  );
}

interface ProbeOptions {
  /** Resolves when all is done without which the process is not ready. */
  readonly begun: Promise<unknown>;
  /** False while the process is stopping. */
  readonly isReady: () => boolean;
}

/** Whether the process is alive, and whether it takes traffic. */
export function createProbes({ begun, isReady }: ProbeOptions): Endpoints {
  let state = 'starting';
  void begun.then(() => (state = 'ready'));
  return {
    '/health': readOnly(({ res }) => sendJson(res, 200, { status: 'ok' })),
    '/ready': readOnly(({ res }) => {
      const status = isReady() ? state : 'stopping';
      sendJson(res, status === 'ready' ? 200 : 503, { status });
    }),
  };
}

/** The figures of the process for Prometheus. */
export function createMetricsEndpoint(metrics: Metrics): Endpoints {
  return {
    '/metrics': readOnly(async ({ res }) => {
      sendText(res, 200, metricsType, await metrics.print());
    }),
  };
}

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
    if (fault === null) return pass(request, parseBody(await bodies.read(req, res), JSON.parse));
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

/** A report whose body is still coming. */
export interface Report {
  readonly body: Readable;
  /** Returns the failure that an error of the body stands for. */
  readonly failureOf: (error: unknown) => unknown;
}

/** Requests the CSV report from the upstream. Rejects with the same errors as the field `chargesBreakdownCsv`. */
export type OpenReport = (dates: ReportDates, request: Request) => Promise<Report>;

/**
 * Streams the CSV report at the pace of its reader, with only a few buffers in memory. A client that leaves ends the upstream
 * call. A report that breaks off cuts the response off, so that nobody takes the half for the whole. Rejects where something
 * fails before the first byte.
 */
async function sendReport(request: Request, open: OpenReport, chooseCoding: ChooseCoding): Promise<void> {
  const { req, res, url } = request;
  const dates = datesOf(url.searchParams);
  const { body, failureOf } = await open(dates, request);
  // Noted at once: the log line is written as soon as the response has been cut off.
  body.once('error', (error) => {
    if (request.signal.aborted) return;
    request.noteErrors(gatewayErrorsOf(failureOf(error)).map(({ code }) => code));
  });
  const coding = chooseCoding(req);
  res.writeHead(200, {
    ...(coding !== null && { 'content-encoding': coding }),
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${fileNameOf(dates)}"`,
  });
  if (request.isHead) {
    res.end();
    body.destroy();
    return;
  }
  // The compressor may hold all that there is when the report breaks off, and the client has to see that it had begun.
  if (coding !== null) res.flushHeaders();
  // `pipeline` has cut the response off, which is how the client learns of the failure.
  const through = coding === null ? [] : [createCompressor[coding]()];
  await pipeline([body, ...through, res]).catch(() => {});
}

/** Names the file by its period, so that files of several periods can lie in one folder. */
function fileNameOf({ startDate, endDate }: ReportDates): string {
  return ['charges-breakdown', startDate, ...(endDate == null ? [] : [endDate])].join('-').concat('.csv');
}

function datesOf(query: URLSearchParams): ReportDates {
  const startDate = dateOf(query, 'startDate');
  if (startDate === null)
    throw badArgument(['startDate'], 'startDate is required: a calendar date such as 2026-10-01.');
  const dates = { startDate, endDate: dateOf(query, 'endDate') };
  checkReportDates(dates);
  return dates;
}

function dateOf(query: URLSearchParams, name: keyof ReportDates): string | null {
  const text = query.get(name) ?? '';
  if (text === '') return null;
  if (isCalendarDate(text)) return text;
  throw badArgument([name], `${name} must be a calendar date such as 2026-10-01.`);
}
