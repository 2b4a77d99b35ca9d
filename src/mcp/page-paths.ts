import { Kind, visit, type OperationDefinitionNode } from 'graphql';

/** A connection of an operation whose next page a variable asks for. */
export interface PagePath {
  /** The names that lead to the connection in the response. */
  readonly path: readonly string[];
  /** The variable that stands at its argument `after`. */
  readonly variable: string;
}

/** Finds the connections whose argument `after` is a variable. Those within fragments are left out. */
export function pagePathsOf(operation: OperationDefinitionNode): readonly PagePath[] {
  const found: PagePath[] = [];
  const path: string[] = [];
  visit(operation, {
    Field: {
      enter({ alias, name, arguments: args = [] }) {
        path.push(alias?.value ?? name.value);
        const value = args.find((argument) => argument.name.value === 'after')?.value;
        if (value?.kind === Kind.VARIABLE) found.push({ path: [...path], variable: value.name.value });
      },
      leave: () => void path.pop(),
    },
  });
  return found;
}

/** Returns the cursor of the next page of a connection in the data; null where there is none, or where it was not selected. */
export function nextCursorAt(data: unknown, path: readonly string[]): string | null {
  const { pageInfo } = membersOf(path.reduce((value, key) => membersOf(value)[key], data));
  const { hasNextPage, endCursor } = membersOf(pageInfo);
  return hasNextPage === true && typeof endCursor === 'string' ? endCursor : null;
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
