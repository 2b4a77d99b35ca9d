import type { GraphqlRule } from '../graphql-rule.ts';

/** Adds extensions to a whole result: its hints, and what the client has asked for: its cost, its calls, and the id of its event. */
export function addExtensions(): GraphqlRule {
  return {
    finish(result, run, part) {
      const { exchange, wantsCost, lastEventId } = run.request;
      const explainCalls = run.given?.explainCalls ?? null;
      const hints = run.given?.hints ?? [];
      const isAsked = wantsCost || explainCalls !== null || lastEventId !== null;
      if (part !== 'whole' || (!isAsked && hints.length === 0)) return result;
      const { cost } = run.judgement;
      const { upstreamCalls } = exchange.record;
      // For clients that cannot read the id of an event. An empty header asks for it too.
      const eventId = lastEventId === null ? null : run.latestEventId();
      const added = {
        ...(wantsCost && cost !== null && { cost: { estimated: cost.calls + cost.objects, upstreamCalls } }),
        ...(explainCalls !== null && { explain: explainCalls() }),
        ...(eventId !== null && { lastEventId: eventId }),
        ...(hints.length > 0 && { hints }),
      };
      if (Object.keys(added).length === 0) return result;
      return { ...result, extensions: { ...result.extensions, ...added } };
    },
  };
}
