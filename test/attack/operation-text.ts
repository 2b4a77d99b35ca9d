/** A GraphQL request: its document and what comes with it. */
export interface Operation {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** An argument, and whether its value is a literal or a variable. */
export interface Given {
  readonly name: string;
  readonly type: string;
  readonly literal: string;
  readonly value: unknown;
  /** A variable may be declared of its own type or another, and come or not. */
  readonly by: 'literal' | 'variable' | 'missing variable' | 'unknown variable' | 'variable of another type';
}

/** A directive, so many times. */
export interface Applied {
  readonly name: string;
  readonly args: readonly Given[];
  readonly times: number;
}

/** A field or a fragment, so many times. */
export interface Selected {
  readonly head: string;
  readonly args: readonly Given[];
  readonly directives: readonly Applied[];
  readonly selection: readonly Selected[];
  /** How often it stands there, each time under a name of its own. */
  readonly times: number;
}

/** An operation before it is written. */
export interface Draft {
  readonly selection: readonly Selected[];
  readonly directives: readonly Applied[];
  readonly name: string;
}

// A body beyond the limit is refused unread; one such size is enough.
const mostCharacters = 1_200_000;

/** Writes an operation: names its aliases and declares its variables. */
export function writeOperation(kind: string, { selection, directives: applied, name }: Draft): Operation {
  const variables: Record<string, unknown> = {};
  const declarations: string[] = [];
  let aliases = 0;

  function variable({ type, value, by }: Given): string {
    const own = `$v${declarations.length}`;
    if (by === 'unknown variable') return '$nobody';
    declarations.push(`${own}: ${by === 'variable of another type' ? '[Int!]' : type}`);
    if (by !== 'missing variable') variables[own.slice(1)] = value;
    return own;
  }
  function writeArgs(args: readonly Given[]): string {
    const texts = args.map((arg) => `${arg.name}: ${arg.by === 'literal' ? arg.literal : variable(arg)}`);
    return texts.length === 0 ? '' : `(${texts.join(', ')})`;
  }
  function writeDirectives(list: readonly Applied[]): string {
    return list.map((one) => repeated(` @${one.name}${writeArgs(one.args)}`, one.times)).join('');
  }
  function writeSelection(list: readonly Selected[]): string {
    return list.length === 0 ? '' : ` { ${list.map(writeSelected).join(' ')} }`;
  }
  function writeSelected({ head, args, directives: marks, selection: inner, times: count }: Selected): string {
    const rest = `${head}${writeArgs(args)}${writeDirectives(marks)}${writeSelection(inner)} `;
    const isAliased = count > 1 && !head.startsWith('...');
    if (!isAliased) return repeated(rest, count);
    const most = Math.min(count, Math.ceil(mostCharacters / rest.length));
    return Array.from({ length: most }, () => `a${aliases++}: ${rest}`).join(' ');
  }

  const body = writeSelection(selection);
  const marks = writeDirectives(applied);
  const declared = declarations.length === 0 ? '' : `(${declarations.join(', ')})`;
  return { query: `${kind} ${name}${declared}${marks}${body}`, variables };
}

function repeated(text: string, count: number): string {
  return text.repeat(Math.min(count, Math.ceil(mostCharacters / text.length)));
}
