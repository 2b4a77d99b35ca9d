import { GraphQLError, Kind, type ASTVisitor, type ValidationContext } from 'graphql';
import { labelLength } from '../bounds.ts';

/** Refuses a long `label` of `@defer` and `@stream`: each piece of the response repeats it. */
export function PieceLabelsRule(context: ValidationContext): ASTVisitor {
  return {
    Directive(node) {
      if (node.name.value !== 'defer' && node.name.value !== 'stream') return;
      const label = node.arguments?.find(({ name }) => name.value === 'label')?.value;
      if (label?.kind !== Kind.STRING || label.value.length <= labelLength) return;
      const message = `The label of @${node.name.value} may have ${labelLength} characters.`;
      context.reportError(new GraphQLError(message, { nodes: node }));
    },
  };
}
