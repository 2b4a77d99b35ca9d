import type { ExecutionResult, GraphQLError } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Log } from '../../telemetry/log.ts';
import type { ServerContext } from '../graphql-server.ts';
import { maskError } from '../mask-errors.ts';

/** Words every error of every result, also of those that never reached execution, and notes their codes for the log. */
export function useMaskedErrors(log: Log): Plugin<object, ServerContext> {
  return {
    onParse() {
      return ({ result }) => {
        if (result instanceof Error)
          Object.assign((result as GraphQLError).extensions, { code: 'GRAPHQL_PARSE_FAILED' });
      };
    },
    onResultProcess({ result, setResult, serverContext }) {
      if (!('errors' in result) || result.errors === undefined) return;
      const { exchange } = serverContext;
      const { requestId } = exchange;
      const report = (cause: unknown): void => log.error({ requestId, error: describe(cause) }, 'internal error');
      const errors = result.errors.flatMap((error) => maskError(error, requestId, report));
      exchange.errorCodes.push(...errors.map(({ extensions }) => String(extensions['code'])));
      setResult({ ...(result as ExecutionResult), errors });
    },
  };
}

/** The stack alone: an error's message may quote what it failed on, a header with a key in it for one. */
function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return typeof cause;
  const frames = cause.stack?.split('\n').filter((line) => line.startsWith('    at ')) ?? [];
  return [cause.name, ...frames].join('\n');
}
