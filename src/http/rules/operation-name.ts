import { shownNameLength } from '../../bounds.ts';
import type { GraphqlRule } from '../graphql-rule.ts';
import { trustedIdOf } from '../trusted-document-reader.ts';

/** Finds the operation's name for the log and the metrics. The caller's key is hidden in it, and a long name is cut. */
export function nameOperation(): GraphqlRule {
  return {
    judge({ document, definition, request: { exchange } }, judgement) {
      const name = definition?.name?.value ?? null;
      const shown = name && exchange.hideKey(name, name.length > shownNameLength ? shownNameLength : undefined);
      const trustedId = trustedIdOf(document);
      exchange.record.noteOperation(shown, trustedId && (name ?? trustedId).slice(0, shownNameLength));
      judgement.name = shown;
    },
  };
}
