import type { GraphQLLeafType } from 'graphql';
import { leaves, type Leaf } from '../../schema/leaf.ts';
import type { Code } from './code.ts';
import { Uncovered } from './selection.ts';
import { bad, isPromise, some } from './value-check.ts';

/** Code that makes a leaf of the response of `v`, as it stands in a record. */
export function recordLeafCode(code: Code, leaf: Leaf | undefined): string {
  if (leaf === undefined) throw new Uncovered();
  const slowly = `${code.constant(some)}(${code.constant(leaf.read)}(v))`;
  return leaf.code === undefined ? slowly : `${leaf.code} ? v : ${slowly}`;
}

/** Code that makes a leaf of the response of `v`, as a resolver returned it. */
export function resolvedLeafCode(code: Code, type: GraphQLLeafType): string {
  const serialize = `${code.constant(some)}(${code.constant((value: unknown) => type.serialize(value))}(v))`;
  const test = leaves[type.name]?.code;
  // A promise that cannot be awaited here is handled where its resolver returned it.
  const slowly = `v instanceof Error || ${code.constant(isPromise)}(v) ? ${code.constant(bad)}() : ${serialize}`;
  return test === undefined ? slowly : `${test} ? v : ${slowly}`;
}
