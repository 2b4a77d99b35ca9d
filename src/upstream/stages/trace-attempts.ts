import { GatewayError } from '../../errors.ts';
import type { Stage } from './stage.ts';

/**
 * Continues the trace of the first caller in each attempt, and gives the attempt a span by the conventions for HTTP clients. The
 * URL in it has no identifier and no query string.
 */
export function traceAttempts(baseUrl: string): Stage {
  const { hostname, port, protocol } = new URL(baseUrl);
  const server = {
    'http.request.method': 'GET',
    'server.address': hostname,
    'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
  };
  return (next) => (request, receiver) => {
    const { call, caller, headers, sent } = request;
    const parent = caller.span;
    if (parent === undefined) return next(request, receiver);
    if (!parent.isRecorded) return next({ ...request, headers: { ...headers, ...parent.headers } }, receiver);
    const { path } = call.endpoint;
    const span = parent.begin(`GET ${path}`, 'client', {
      ...server,
      'url.template': path,
      'url.full': baseUrl + path.replace('{id}', 'REDACTED'),
      'http.request.resend_count': sent.count > 0 ? sent.count : undefined,
    });
    return next(
      { ...request, headers: { ...headers, ...span.headers } },
      {
        answered(response) {
          const { status } = response;
          span.end({ 'http.response.status_code': status }, status >= 400 ? String(status) : null);
          receiver.answered(response);
        },
        failed(error) {
          span.end({}, error instanceof GatewayError ? error.code : 'aborted');
          receiver.failed(error);
        },
      },
    );
  };
}
