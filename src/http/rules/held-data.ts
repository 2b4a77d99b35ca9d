import type { GraphqlRule } from '../graphql-rule.ts';

/** Releases the memory of upstream responses once the data are whole. Writing them may take as long as their reader does. */
export function releaseData(): GraphqlRule {
  return {
    finish(result, { given }, part) {
      if (part !== 'followed') given?.release();
      return result;
    },
  };
}
