import { violationsOf } from '../../errors.ts';
import type { CountViolation } from '../../telemetry/violation-counter.ts';
import type { GraphqlRule } from '../graphql-rule.ts';

/** Counts the violations that caused errors. Each value counts once in a response, no matter how often it was selected. */
export function countViolations(countViolation: CountViolation): GraphqlRule {
  return {
    finish(result, run) {
      for (const { originalError } of result.errors ?? [])
        for (const violation of violationsOf(originalError)) {
          const { requestId, trace } = run.request.exchange;
          const source = { requestId, operationName: run.judgement.name, trace: trace && trace.ids };
          if (run.countedViolations.isNew(violation)) countViolation(violation, source);
        }
      return result;
    },
  };
}
