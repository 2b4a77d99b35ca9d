import { getNullableType, isListType, type FieldNode, type GraphQLField, type SelectionNode } from 'graphql';
import { times, type Demand } from './demand.ts';
import type { ListSize } from './list-size.ts';

/** Fields of a connection that hold its items, and how many these are. */
export interface Sized {
  readonly fields: readonly string[];
  readonly items: number;
}

/** A field of a place in the document, and what is known of its cost. */
export interface Priced {
  readonly node: FieldNode;
  readonly field: GraphQLField<unknown, unknown>;
  readonly listSize: ListSize | null;
  /** The list among its arguments that decides its length. */
  readonly list: unknown;
  readonly items: number;
}

/** The demand of each object that a field returns, as often as it may return one. */
export function ofObjects({ node, field, listSize, list, items }: Priced, each: Demand, sized: Sized | null): Demand {
  const isSized = sized?.fields.includes(node.name.value) === true;
  const length = Array.isArray(list) ? list.length : isSized ? sized.items : items;
  const whole = times(each, length);
  const pieces = whole.pieces + (hasDirective(node, 'stream') ? length : 0);
  // How long the lists within a row are is not known beforehand.
  const isKnown = pieces === 0 || isSized || listSize !== null || Array.isArray(list) || !isList(field);
  return { ...whole, pieces: isKnown ? pieces : Infinity };
}

function isList({ type }: GraphQLField<unknown, unknown>): boolean {
  return isListType(getNullableType(type));
}

/** Whether a directive of this name stands at a selection. */
export function hasDirective({ directives }: SelectionNode, name: string): boolean {
  return directives?.some((directive) => directive.name.value === name) === true;
}
