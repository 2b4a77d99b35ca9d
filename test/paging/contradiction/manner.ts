import type { MovingUpstream } from '../../support/moving-upstream.ts';
import type { JsonRecord } from '../../support/records.ts';
import type { Script, SeenRequest } from '../../support/scripted-upstream.ts';

type Meta = Readonly<Record<'total_results' | 'total_pages' | 'page_number' | 'page_size', number>>;

/** A page as it was asked for and as it is served. */
export interface ServedPage {
  readonly rows: readonly JsonRecord[];
  readonly number: number;
  readonly asked: number;
  readonly used: number;
  /** How many calls came before this one. */
  readonly calls: number;
}

/** How an upstream serves its pages, and what it says of them; what is absent is as the contract has it. */
export interface Manner {
  /** The page size that is used where this one is asked for. */
  readonly sizeOf?: (asked: number) => number;
  /** The rows that come of those of a page. */
  readonly rowsOf?: (page: ServedPage) => unknown;
  /** What is said of the page: `meta` says the truth, the size that was used included. */
  readonly metaOf?: (meta: Meta, page: ServedPage) => unknown;
}

interface Body {
  readonly data: readonly JsonRecord[];
  readonly meta: Meta;
}

/** Serves a list in a manner of its own. */
export function serve(list: MovingUpstream, { sizeOf, rowsOf, metaOf }: Manner): Script {
  let calls = 0;
  return (request: SeenRequest) => {
    const asked = Number(request.query['page[size]']);
    const number = Number(request.query['page[number]']);
    const used = sizeOf?.(asked) ?? asked;
    const query = { ...request.query, 'page[size]': String(used) };
    const { json, ...reply } = list.answer({ ...request, query });
    if (json === undefined) return reply;
    const { data: rows, meta } = json as Body;
    const page = { rows, number, asked, used, calls: calls++ };
    return { json: { data: rowsOf ? rowsOf(page) : rows, meta: metaOf ? metaOf(meta, page) : meta } };
  };
}

/** Pages of at most so many rows, counted by that size; `meta` says so. */
export const clampedTo = (most: number): Manner => ({ sizeOf: (asked) => Math.min(asked, most) });

/** The same, where `meta` claims the size that was asked for. */
export const silentlyClampedTo = (most: number): Manner => ({
  ...clampedTo(most),
  metaOf: (meta, { asked }) => ({ ...meta, page_size: asked }),
});

/** Pages that begin where they should and hold so many rows at most, and claim the size that was asked for. */
export const cutTo = (most: number): Manner => ({ rowsOf: ({ rows }) => rows.slice(0, most) });

/** True pages, of which `meta` says something else. */
export const metaWith = (fields: object): Manner => ({ metaOf: (meta) => ({ ...meta, ...fields }) });
