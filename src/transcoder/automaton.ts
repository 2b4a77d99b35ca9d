// A regular expression as a table with one look-up for each byte, so that texts are checked by the same declaration everywhere.

/** A state of a pattern: which bytes lead where, and where nothing does. */
interface State {
  readonly moves: { readonly bytes: readonly number[]; readonly to: State }[];
  readonly jumps: State[];
}

function newState(): State {
  return { moves: [], jumps: [] };
}

/**
 * The automaton of a regular expression that is all of `^...$` and made of characters, classes without ranges, groups, choices and
 * quantifiers. Throws a SyntaxError for any other. It has 256 bytes for each state: what follows it by each byte, and at 0, which no
 * text has, whether it accepts. State 0 is where nothing follows, 1 the first one.
 */
export function automatonOf(form: RegExp): Uint8Array {
  const { start, end } = new Pattern(form);
  const sets: ReadonlySet<State>[] = [new Set(), closure([start])];
  const indexOf = (set: ReadonlySet<State>): number => {
    const known = sets.findIndex((other) => other.size === set.size && other.isSubsetOf(set));
    return known < 0 ? sets.push(set) - 1 : known;
  };
  const rows: Uint8Array[] = [];
  for (const set of sets) {
    const row = new Uint8Array(256);
    const moves = [...set].flatMap((state) => state.moves);
    for (const byte of new Set(moves.flatMap(({ bytes }) => bytes)))
      row[byte] = indexOf(closure(moves.filter(({ bytes }) => bytes.includes(byte)).map(({ to }) => to)));
    row[0] = Number(set.has(end));
    // The code takes texts that differ in digits alone for one.
    if (row.subarray(0x30, 0x3a).some((next) => next !== row[0x30])) throw unknownPattern();
    rows.push(row);
  }
  if (rows.length > 256) throw unknownPattern();
  // Before the rows the code notes the text that it accepted last. At first that is as long as no text is.
  return Buffer.concat([Buffer.alloc(64, 0xff), ...rows]);
}

function closure(states: readonly State[]): ReadonlySet<State> {
  const set = new Set(states);
  for (const { jumps } of set) for (const state of jumps) set.add(state);
  return set;
}

function unknownPattern(): SyntaxError {
  return new SyntaxError('This pattern cannot become an automaton.');
}

class Pattern {
  readonly start = newState();
  readonly end: State;
  readonly #source: string;
  readonly #flags: string;
  #at = 0;

  constructor({ source, flags }: RegExp) {
    if (!/^\^.*\$$/.test(source) || !/^i?$/.test(flags)) throw unknownPattern();
    this.#source = source.slice(1, -1);
    this.#flags = flags;
    this.end = this.#choice(this.start);
    if (this.#at < this.#source.length) throw unknownPattern();
  }

  #choice(from: State): State {
    const end = newState();
    do {
      let state = from;
      while (this.#at < this.#source.length && !this.#isNext('|') && !this.#isNext(')')) state = this.#repeated(state);
      state.jumps.push(end);
    } while (this.#takes('|'));
    return end;
  }

  #repeated(from: State): State {
    const begin = this.#at;
    const first = newState();
    from.jumps.push(first);
    let last = this.#atom(first);
    const [sign, count] = /^(?:[?*+]|\{(\d+)\})/.exec(this.#source.slice(this.#at)) ?? [];
    if (sign === undefined) return last;
    const behind = this.#at + sign.length;
    for (let left = Number(count ?? 1) - 1; left > 0; left--) {
      this.#at = begin;
      last = this.#atom(last);
    }
    this.#at = behind;
    if (sign === '?' || sign === '*') first.jumps.push(last);
    if (sign === '+' || sign === '*') last.jumps.push(first);
    const end = newState();
    last.jumps.push(end);
    return end;
  }

  #atom(from: State): State {
    if (this.#takes('(?:')) {
      const end = this.#choice(from);
      if (!this.#takes(')')) throw unknownPattern();
      return end;
    }
    let characters = '';
    if (this.#takes('[')) while (!this.#takes(']')) characters += this.#character(true);
    else characters = this.#character(false);
    if (this.#flags === 'i') characters += characters.toLowerCase() + characters.toUpperCase();
    const to = newState();
    from.moves.push({ bytes: [...Buffer.from(characters, 'latin1')], to });
    return to;
  }

  /** The next character, or all those that its escape stands for. */
  #character(isInClass: boolean): string {
    if (this.#takes('\\d')) return '0123456789';
    const isEscaped = this.#takes('\\');
    const character = this.#source.charAt(this.#at++);
    const isRange = character === '-' && isInClass && !this.#isNext(']');
    const isPlain = isEscaped ? /[^\w\s]/ : isInClass ? /[ -Z_a-~]/ : /[ ",\-/\w:;@]/;
    if (isRange || !isPlain.test(character)) throw unknownPattern();
    return character;
  }

  #isNext(text: string): boolean {
    return this.#source.startsWith(text, this.#at);
  }

  #takes(text: string): boolean {
    if (!this.#isNext(text)) return false;
    this.#at += text.length;
    return true;
  }
}
