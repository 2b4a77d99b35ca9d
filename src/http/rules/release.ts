import type { GraphqlRule } from '../graphql-rule.ts';

/** Gives back what was read for the data once they are whole: they are written at the pace of their reader. */
export function releaseData(): GraphqlRule {
  return {
    finish(result, { given }, part) {
      if (part !== 'followed') given?.release();
      return result;
    },
  };
}
