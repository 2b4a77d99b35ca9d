import { GraphQLError, type ExecutionResult } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { describeFailure, type Log } from '../../telemetry/log.ts';
import type { ServerContext } from '../server-context.ts';
import { maskError } from '../mask-errors.ts';

/** Words every error of every result, also of those that never reached execution, and notes their codes for the log. */
export function useMaskedErrors(log: Log): Plugin<object, ServerContext> {
  return {
    onParse() {
      return ({ result }) => {
        if (result instanceof GraphQLError) Object.assign(result.extensions, { code: 'GRAPHQL_PARSE_FAILED' });
      };
    },
    onResultProcess(hook) {
      const { result, serverContext } = hook;
      if (!('errors' in result) || result.errors === undefined) return;
      const { exchange } = serverContext;
      const report = (cause: unknown): void => {
        // What fails because its client has left is nobody's fault.
        if (exchange.signal.aborted) return;
        log.error({ requestId: exchange.requestId, error: describeFailure(cause) }, 'internal error');
      };
      const errors = result.errors.flatMap((error) => maskError(error, exchange, report));
      exchange.errorCodes.push(...errors.map(({ extensions }) => String(extensions['code'])));
      hook.setResult({ ...(result as ExecutionResult), errors });
    },
  };
}
