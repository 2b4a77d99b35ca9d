import type { Random } from '../../src/sandbox/random.ts';

/** How a count of `meta` is told. */
export type Told =
  'true' | 'absent' | 'null' | 'text' | 'negative' | 'fraction' | 'huge' | 'one more' | 'one less' | 'zero' | 'other';

/** How pages are served. */
export interface Sizes {
  /** `ignored`: the upstream has a page size of its own. `cut`: a page begins where it should, and ends too soon. */
  readonly kind: 'obeyed' | 'clamped' | 'ignored' | 'cut';
  /** The largest pages that come; where there are several, now these and now those. */
  readonly most: readonly number[];
  /** Whether `meta.page_size` has the size that was used, or the one that was asked for. */
  readonly isTold: boolean;
}

/** What is wrong with the rows of some pages; the rest of the list is as it should be. */
export type RowLie = 'none' | 'dropped' | 'doubled' | 'repeated';

/** All that an upstream tells wrongly, as data: a failure prints it. */
export interface Lies {
  readonly sizes: Sizes;
  readonly total: Told;
  readonly pages: Told;
  readonly number: Told;
  readonly size: Told;
  /** Whether `meta` swaps two of its counts. */
  readonly isSwapped: boolean;
  /** The share of pages that lie; the others are as they should be. */
  readonly share: number;
  readonly rows: RowLie;
  /** The share of calls that fail with a 5xx. */
  readonly failing: number;
}

/** An upstream that keeps to its contract. */
export const honest: Lies = {
  sizes: { kind: 'obeyed', most: [], isTold: true },
  total: 'true',
  pages: 'true',
  number: 'true',
  size: 'true',
  isSwapped: false,
  share: 1,
  rows: 'none',
  failing: 0,
};

/** What kind of upstream a run has; what may be asked of the gateway is told by it. */
export const kinds = ['honest', 'clamped', 'moving', 'liar', 'failing'] as const;

export type Kind = (typeof kinds)[number];

const wrongly: readonly Told[] = [
  'absent',
  'absent',
  'null',
  'text',
  'negative',
  'fraction',
  'huge',
  'one more',
  'one less',
  'zero',
  'other',
];

/** The lies of an upstream of a kind. */
export function liesOf(kind: Kind, random: Random): Lies {
  switch (kind) {
    case 'honest':
      return honest;
    case 'clamped':
      return { ...honest, sizes: clampOf(random) };
    case 'moving':
      return { ...honest, sizes: random.chance(0.6) ? honest.sizes : clampOf(random) };
    case 'failing':
      return {
        ...honest,
        sizes: random.chance(0.5) ? honest.sizes : clampOf(random),
        failing: random.pick([0.05, 0.3]),
      };
    default: {
      const meta = random.chance(0.3) ? honest : metaOf(random);
      const isLengthTold = meta.total === 'true' && meta.pages === 'true' && !meta.isSwapped;
      return { ...honest, ...meta, ...rowsOf(random, isLengthTold), failing: random.pick([0, 0, 0.1]) };
    }
  }
}

function metaOf(random: Random): Pick<Lies, 'total' | 'pages' | 'number' | 'size' | 'isSwapped' | 'share'> {
  const isEachWrong = random.chance(0.3);
  const told = (): Told => (isEachWrong || random.chance(0.4) ? random.pick(wrongly) : 'true');
  return {
    total: told(),
    pages: told(),
    number: random.chance(0.5) ? 'true' : told(),
    size: told(),
    isSwapped: random.chance(0.05),
    share: random.pick([1, 1, 1, 0.3]),
  };
}

const clamps = [1, 2, 3, 7, 10, 19, 20, 20, 30, 99, 100, 100, 249];

function clampOf(random: Random): Sizes {
  return { kind: 'clamped', most: [random.pick(clamps)], isTold: random.chance(0.4) };
}

/** Pages that no upstream serves that keeps to one size, or less than is asked for. */
function sizesOf(random: Random): Sizes {
  const most = random.pick(clamps);
  return random.pick<Sizes>([
    honest.sizes,
    clampOf(random),
    { kind: 'clamped', most: [most, random.pick(clamps)], isTold: random.chance(0.4) },
    { kind: 'ignored', most: [most], isTold: true },
    { kind: 'cut', most: [most + 1], isTold: false },
  ]);
}

/**
 * What is wrong with rows, where it can be told at all: that one has been left out or is there twice by the list's true
 * length, and by pages of a size that was asked for.
 */
function rowsOf(random: Random, isLengthTold: boolean): Pick<Lies, 'rows' | 'sizes'> {
  const rows = random.pick<RowLie>(isLengthTold ? ['none', 'dropped', 'doubled', 'repeated'] : ['none', 'repeated']);
  const sizes = sizesOf(random);
  const isTold = sizes.kind !== 'ignored' && rows !== 'doubled';
  return { rows, sizes: rows === 'none' || isTold ? sizes : honest.sizes };
}
