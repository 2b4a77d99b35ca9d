import { parseCsv } from './graphiql-csv.js';
import { build, countText, isRecord, shownText } from './graphiql-element.js';

const mostRows = 100;
const mostColumns = 30;
const exportPath = '/exports/charges-breakdown.csv';
const isDate = (text) => typeof text === 'string' && /^\d{4}-\d\d-\d\d$/.test(text);

/** The names under which an operation asks for CSV reports, each with the period of its file as far as it is known. */
function readReportFields({ query, variables }) {
  const periodOf = (args, name) => {
    const [, literal, variable] = new RegExp(String.raw`\b${name}\s*:\s*(?:"([^"]*)"|\$(\w+))`).exec(args) ?? [];
    if (variable === undefined) return literal;
    const byDefault = new RegExp(String.raw`\$${variable}\s*:\s*\w+!?\s*=\s*"([^"]*)"`).exec(query)?.[1];
    return variables?.[variable] === undefined ? byDefault : variables[variable];
  };
  const fields = query.matchAll(/(?:\b(\w+)\s*:\s*)?\bchargesBreakdownCsv\b\s*(?:\(([^)]*)\))?/g);
  return new Map(
    [...fields].map(([, alias, args = '']) => [
      alias ?? 'chargesBreakdownCsv',
      [periodOf(args, 'startDate'), periodOf(args, 'endDate')],
    ]),
  );
}

/** The data of a payload, whole or in pieces, that stands at the root. */
function rootsOf(payload) {
  const pieces = Array.isArray(payload.incremental) ? payload.incremental.filter(isRecord) : [];
  const ofPieces = pieces.map(({ path, data }) => {
    if (!Array.isArray(path) || path.length > 1) return null;
    return path.length === 0 ? data : { [path[0]]: data };
  });
  return [payload.data, ...ofPieces].filter(isRecord);
}

/** The CSV reports in a payload: the name of each field, its text, and the name of a file for it. */
export function findReports(operation, payload) {
  if (!isRecord(payload) || !operation.query.includes('chargesBreakdownCsv')) return [];
  const fields = readReportFields(operation);
  return rootsOf(payload).flatMap((root) =>
    [...fields].flatMap(([name, period]) => {
      if (!isRecord(root[name])) return [];
      const { __typename, ...members } = root[name];
      const texts = Object.values(members).filter((value) => typeof value === 'string');
      const url = texts.find((text) => text.startsWith(`${exportPath}?`));
      const content = members.content ?? texts.find((text) => text !== url);
      if (typeof content !== 'string') return [];
      const dates = url === undefined ? period : datesOf(url);
      return [{ name, content, file: `${['charges-breakdown', ...dates.filter(isDate)].join('-')}.csv` }];
    }),
  );
}

function datesOf(url) {
  const asked = new URLSearchParams(url.slice(exportPath.length));
  return [asked.get('startDate'), asked.get('endDate')];
}

/** Writes a report as a table of its first rows, with a button that stores it whole. */
export function writeReport({ name, content, file }) {
  const { rows, count } = parseCsv(content, mostRows + 1);
  const [head = [], ...shown] = rows;
  const total = Math.max(0, count - 1);
  const whole = new Blob([content], { type: 'text/csv;charset=utf-8' });
  const button = build('button', { type: 'button' }, `Download ${file}`);
  button.addEventListener('click', () => download(whole, file));
  const more = shown.length < total ? `, of which the first ${shown.length} are shown` : '';
  const cells = (row) => {
    const rest = row.length > mostColumns ? [`and ${countText(row.length - mostColumns, 'more', 'more')}`] : [];
    return [...row.slice(0, mostColumns).map((text) => shownText(text)), ...rest];
  };
  return build(
    'section',
    { class: 'report', 'aria-label': `CSV of ${name}` },
    build('p', {}, `${name}: ${countText(total, 'row')}${more} `, button),
    build(
      'div',
      { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': `Rows of ${name}` },
      build(
        'table',
        {},
        build('thead', {}, build('tr', {}, ...cells(head).map((text) => build('th', { scope: 'col' }, text)))),
        build('tbody', {}, ...shown.map((row) => build('tr', {}, ...cells(row).map((text) => build('td', {}, text))))),
      ),
    ),
  );
}

function download(whole, file) {
  const address = URL.createObjectURL(whole);
  build('a', { href: address, download: file }).click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
