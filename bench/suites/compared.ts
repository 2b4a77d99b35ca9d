import { dataOf, differenceOf } from '../equality.ts';
import type { Contender } from '../contenders.ts';

/** Compares the GraphQL responses to one query with Switchboard's. */
export interface Comparison {
  /** Throws where a response differs from the first one. */
  take(contender: Contender, body: Buffer): void;
}

/** Begins a comparison; Switchboard's response comes first where Switchboard takes part. */
export function compareAnswers(question: string): Comparison {
  let first: { readonly data: unknown; readonly title: string } | null = null;
  return {
    take(contender, body) {
      if (!contender.isGraphql) return;
      const data = contender.rename(dataOf(body));
      first ??= { data, title: contender.title };
      const difference = differenceOf(first.data, data);
      if (difference === null) return;
      throw new Error(`${contender.title} answers ${question} otherwise than ${first.title}: ${difference}`);
    },
  };
}
