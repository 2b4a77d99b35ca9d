import type { ExecutionResult } from 'graphql';
import { describeFailure, type Log } from '../../telemetry/log.ts';
import type { GraphqlRule } from '../graphql-rule.ts';
import type { Exchange } from '../request/exchange.ts';
import { inResponseOrder } from '../response/error-order.ts';
import { maskedError } from '../response/mask-errors.ts';

/** Formats errors for the client (interface: "Errors"), in the order of the response, as many as one may report. */
export function formatErrors(log: Log): GraphqlRule {
  function maskedErrors(result: ExecutionResult, exchange: Exchange) {
    const report = (cause: unknown): void => {
      // What fails because its client has left is nobody's fault.
      if (exchange.signal.aborted) return;
      log.error({ requestId: exchange.requestId, error: describeFailure(cause) }, 'internal error');
    };
    return inResponseOrder(result).map((error) => maskedError(error, exchange, report));
  }

  return {
    finish(result, run, part) {
      if (result.errors === undefined) return result;
      const { exchange } = run.request;
      const { errors: _errors, ...rest } = result;
      const errors = run.errors.tell(maskedErrors(result, exchange), part === 'followed');
      exchange.record.noteErrors(errors.map(({ extensions }) => String(extensions['code'])));
      // What is reported of a response in pieces may have been reported before.
      return errors.length === 0 ? rest : { ...rest, errors };
    },
  };
}
