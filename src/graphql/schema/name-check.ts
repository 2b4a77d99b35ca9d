import { BREAK as stop, visit, type DocumentNode, type Kind } from 'graphql';

/** Whether certain names stand in a document; each document is looked through once. */
export type NameCheck = (document: DocumentNode) => boolean;

/** Looks for fields, or for directives, of these names, anywhere in a document. */
export function createNameCheck(kind: Kind.FIELD | Kind.DIRECTIVE, names: ReadonlySet<string>): NameCheck {
  const known = new WeakMap<DocumentNode, boolean>();

  function check(document: DocumentNode): boolean {
    let found = false;
    visit(document, {
      enter(node) {
        found ||= node.kind === kind && names.has(node.name.value);
        return found ? stop : undefined;
      },
    });
    known.set(document, found);
    return found;
  }

  return (document) => known.get(document) ?? check(document);
}
