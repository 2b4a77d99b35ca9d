import type { ExecutionArgs } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { EstimateCost } from '../../limits/cost.ts';
import { tooComplex } from '../../limits/too-complex.ts';
import type { Exchange } from '../exchange.ts';
import { requestError } from '../request-error.ts';
import type { ServerContext } from '../server-context.ts';

const askHeader = 'x-cost';

/**
 * Refuses an operation that may cost too much, knowing its variables, before it runs. Who sends `X-Cost: 1` is told in
 * `extensions.cost` what was estimated (calls and objects at most) and how many upstream calls there were.
 */
export function useCostLimit(estimate: EstimateCost, limit: number): Plugin<object, ServerContext> {
  const estimates = new WeakMap<Exchange, number>();

  function check({ document, operationName, variableValues, contextValue }: ExecutionArgs) {
    const cost = estimate(document, operationName, variableValues);
    if (cost === null) return null;
    const total = cost.calls + cost.objects;
    estimates.set((contextValue as ServerContext).exchange, total);
    return total > limit ? { errors: [requestError(tooComplex('cost', 'calls and objects', limit, total))] } : null;
  }

  return {
    onExecute({ args, setResultAndStopExecution }) {
      const refused = check(args);
      if (refused !== null) setResultAndStopExecution(refused);
    },
    onSubscribe({ args, setResultAndStopExecution }) {
      const refused = check(args);
      if (refused !== null) setResultAndStopExecution(refused);
    },
    onResultProcess(hook) {
      const { result, serverContext } = hook;
      const { req, exchange } = serverContext;
      const estimated = estimates.get(exchange);
      if (req.headers[askHeader] !== '1' || estimated === undefined) return;
      if (Array.isArray(result) || !('data' in result || 'errors' in result)) return;
      const cost = { estimated, upstreamCalls: exchange.upstreamCalls };
      hook.setResult({ ...result, extensions: { ...result.extensions, cost } });
    },
  };
}
