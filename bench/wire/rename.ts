// What turns answers by the API's own names and envelopes into Switchboard's, after the measurement.
type Row = Record<string, unknown>;

interface List {
  readonly data: readonly Row[];
  readonly meta?: { readonly total_results: number; readonly page_number?: number; readonly page_size: number };
}

const freeForm = new Set(['metadata', 'payload']);
const camelCase = (name: string): string => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

function renamed(value: unknown, name = ''): unknown {
  if (freeForm.has(name)) return value;
  if (name === 'headers') return (value as [string, string][]).map(([header, text]) => ({ name: header, value: text }));
  if (Array.isArray(value)) return value.map((item) => renamed(item));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [
    key === 'mission_id' ? 'id' : camelCase(key),
    renamed(item, key),
  ]);
  return Object.fromEntries(entries) as Row;
}

const byEdges = (rows: readonly unknown[]) => rows.map((node) => ({ cursor: '<cursor>', node: renamed(node) }));

function connectionOf({ data, meta }: List): Row {
  const edges = byEdges(data);
  if (meta === undefined) return { edges };
  if (meta.page_number === undefined) return { edges, totalCount: meta.total_results };
  const hasNextPage = meta.page_number * meta.page_size < meta.total_results;
  return { edges, pageInfo: { hasNextPage, endCursor: '<cursor>' } };
}

/** There are no pages of a report: all of it is sent, of which the first 20 are compared. */
function reportOf({ results, ...others }: Row): Row {
  if (!Array.isArray(results)) return renamed(others) as Row;
  return { results: { totalCount: results.length, edges: byEdges(results.slice(0, 20)) } };
}

/** The data of an answer by wire names, under the names that Switchboard's schema has. */
export function renameWire(data: unknown): unknown {
  const fields = Object.entries(data as Record<string, { readonly data: unknown }>).map(([name, answer]) => [
    camelCase(name),
    Array.isArray(answer.data) ? connectionOf(answer as List) : reportOf(answer.data as Row),
  ]);
  return Object.fromEntries(fields) as Row;
}
