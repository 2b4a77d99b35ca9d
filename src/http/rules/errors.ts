import type { ExecutionResult } from 'graphql';
import type { Log } from '../../telemetry/log.ts';
import type { GraphqlRule } from '../graphql-rule.ts';
import type { Exchange } from '../request/exchange.ts';
import { inResponseOrder } from '../response/error-order.ts';
import { logInternalError } from '../response/internal-error.ts';
import { formattableFailure } from '../response/mask-errors.ts';

/** Formats errors for the client (interface: "Errors"), in the order of the response, and no more than a response reports. */
export function formatErrors(log: Log, signupUrl: string | null): GraphqlRule {
  function failuresOf(result: ExecutionResult, exchange: Exchange) {
    const logCause = (cause: unknown): void => logInternalError(log, exchange, cause);
    return inResponseOrder(result).map((error) => formattableFailure(error, exchange, logCause, signupUrl));
  }

  return {
    finish(result, run, part) {
      if (result.errors === undefined) return result;
      const { exchange } = run.request;
      const { errors: _errors, ...rest } = result;
      const errors = run.errors.report(failuresOf(result, exchange), part === 'followed');
      // Nobody gets the errors of a request that its client has given up.
      if (!exchange.signal.aborted)
        exchange.record.noteErrors(errors.map(({ extensions }) => String(extensions['code'])));
      // An earlier piece of the response may have used up the report.
      return errors.length === 0 ? rest : { ...rest, errors };
    },
  };
}
