import type { EstimateCost } from '../../limits/cost.ts';
import { tooComplex } from '../../limits/too-complex.ts';
import type { GraphqlRule } from '../graphql-rule.ts';
import { requestError } from '../response/request-error.ts';

/** Estimates what an operation may cost, and refuses what is too much. */
export function limitCost(estimateCost: EstimateCost, most: number): GraphqlRule {
  return {
    judge({ document, definition }, judgement) {
      const { coerced } = judgement;
      const cost = definition && coerced && estimateCost(document, definition, coerced);
      if (cost === null) return;
      judgement.cost = cost;
      const total = cost.calls + cost.objects;
      if (total <= most) return;
      judgement.refusal = { errors: [requestError(tooComplex('cost', 'calls and objects', most, total))] };
    },
  };
}
