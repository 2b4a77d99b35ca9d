import { parseAst } from 'vitest/node';

/** A fault that can be planted in a module: characters `start` to `end` of its text become `replacement`. */
export interface Mutant {
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly original: string;
  readonly replacement: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** What stands in the place of an operator. */
const operators: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '&&': ['||'],
  '||': ['&&'],
  '??': ['&&'],
  '+=': ['-='],
  '-=': ['+='],
  '<<': ['>>'],
  '>>>': ['<<'],
  '&': ['|'],
  '|': ['&'],
};

/** Every mutant of a module of TypeScript: operators, conditions, literals, calls for their effect, early returns. Types are left alone. */
export function findMutants(text: string): Mutant[] {
  const mutants: Mutant[] = [];
  const plant = (start: number, end: number, replacement: string): void => {
    const original = text.slice(start, end);
    if (original !== replacement)
      mutants.push({ start, end, line: text.slice(0, start).split('\n').length, original, replacement });
  };
  const visit = (node: Node): void => {
    if (node.type.startsWith('TS') && !node.type.endsWith('Expression')) return;
    plantAt(node, text, plant);
    for (const child of childrenOf(node)) visit(child);
  };
  visit(parseAst(text, { lang: 'ts' } as never) as unknown as Node);
  return mutants;
}

function childrenOf(node: Node): Node[] {
  return Object.values(node)
    .flat()
    .filter((value): value is Node => typeof value === 'object' && value !== null && 'type' in value);
}

function plantAt(node: Node, text: string, plant: (start: number, end: number, replacement: string) => void): void {
  const textOf = ({ start, end }: Node): string => text.slice(start, end);
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression':
    case 'AssignmentExpression': {
      const { left, right, operator } = node as unknown as { left: Node; right: Node; operator: string };
      const isText = [left, right].some(({ type, value }) => type === 'TemplateLiteral' || typeof value === 'string');
      if (operator === '+' && isText) return;
      const at = left.end + text.slice(left.end, right.start).indexOf(operator);
      for (const other of operators[operator] ?? []) {
        // `a ?? b || c` has no meaning: the whole is put in brackets.
        if (node.type === 'LogicalExpression')
          plant(node.start, node.end, `((${textOf(left)}) ${other} (${textOf(right)}))`);
        else plant(at, at + operator.length, other);
      }
      return;
    }
    case 'UnaryExpression':
      if (node['operator'] === '!') plant(node.start, node.end, textOf(node['argument'] as Node));
      return;
    case 'IfStatement':
    case 'ConditionalExpression': {
      const condition = node['test'] as Node;
      plant(condition.start, condition.end, 'true');
      plant(condition.start, condition.end, 'false');
      return;
    }
    case 'WhileStatement': {
      const condition = node['test'] as Node;
      plant(condition.start, condition.end, 'false');
      return;
    }
    case 'Literal': {
      if (typeof node['value'] === 'number') plant(node.start, node.end, String(node['value'] + 1));
      if (typeof node['value'] === 'boolean') plant(node.start, node.end, String(!node['value']));
      return;
    }
    case 'ExpressionStatement': {
      const { type } = node['expression'] as Node;
      if (type === 'CallExpression' || type === 'AwaitExpression') plant(node.start, node.end, ';');
      return;
    }
    case 'ReturnStatement': {
      const value = node['argument'] as Node | null;
      // An early end of a function that returns nothing.
      if (value === null) plant(node.start, node.end, ';');
      return;
    }
    case 'SpreadElement':
      plant(node.start, node.end, '...[]');
      return;
    default:
  }
}
