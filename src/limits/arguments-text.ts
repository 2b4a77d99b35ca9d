import { Kind, print, type ConstArgumentNode, type ArgumentNode, type ValueNode } from 'graphql';

interface WithArguments {
  readonly arguments?: readonly (ArgumentNode | ConstArgumentNode)[] | undefined;
}

/** Writes the arguments of a field or a directive sorted by name, each node once. Two texts are equal where the arguments are. */
export function argumentsText(): (node: WithArguments) => string {
  const known = new Map<WithArguments, string>();
  return (node) => {
    if (node.arguments === undefined || node.arguments.length === 0) return '';
    const text = known.get(node) ?? membersText(node.arguments);
    known.set(node, text);
    return text;
  };
}

function membersText(
  members: readonly { readonly name: { readonly value: string }; readonly value: ValueNode }[],
): string {
  const texts = members.map(({ name, value }) => `${name.value}: ${valueText(value)}`);
  return texts.sort().join(', ');
}

function valueText(value: ValueNode): string {
  if (value.kind === Kind.OBJECT) return `{${membersText(value.fields)}}`;
  if (value.kind === Kind.LIST) return `[${value.values.map(valueText).join(', ')}]`;
  return print(value);
}
