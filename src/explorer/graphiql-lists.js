import {
  build,
  buildButton,
  buildCell,
  buildRow,
  buildTable,
  colour,
  countText,
  isRecord,
  shownText,
} from './views.js';

// A field, quoted or plain, and what ends it. A quote that is never closed goes to the end of the text.
const csvField = /(?:"([^"]*(?:""[^"]*)*)"?)?([^,\r\n]*)(,|\r\n|[\r\n]|$)/y;

/**
 * Reads CSV text (RFC 4180). Returns the first rows, at most `most`, and the count of all. Lines end with CRLF, LF or CR, and the last
 * one may end or not; a line without a character is a row of one empty field.
 */
export function parseCsv(text, most) {
  const rows = [];
  let count = 0;
  csvField.lastIndex = text.startsWith('\uFEFF') ? 1 : 0;
  while (csvField.lastIndex < text.length) {
    const fields = [];
    let end;
    do {
      let quoted, plain;
      [, quoted = '', plain, end] = csvField.exec(text);
      fields.push(quoted.replaceAll('""', '"') + plain);
    } while (end === ',');
    if (count++ < most) rows.push(fields);
  }
  return { rows, count };
}

const mostRows = 100;
const mostColumns = 30;
const exportPath = '/exports/charges-breakdown.csv?';

/** The data of a payload, whole or in pieces, that stands at the root. */
function rootsOf({ data, incremental }) {
  const pieces = Array.isArray(incremental) ? incremental.filter(isRecord) : [];
  const ofPieces = pieces.map((piece) => {
    if (!Array.isArray(piece.path) || piece.path.length > 1) return null;
    return piece.path.length === 0 ? piece.data : { [piece.path[0]]: piece.data };
  });
  return [data, ...ofPieces].filter(isRecord);
}

/** The CSV reports in a payload: the name of each field, its text, and the name of a file for it. */
export function findReports(query, payload) {
  const fields = [...query.matchAll(/(?:\b(\w+)\s*:\s*)?\bchargesBreakdownCsv\b/g)];
  const names = new Set(fields.map(([, alias]) => alias ?? 'chargesBreakdownCsv'));
  return rootsOf(payload).flatMap((root) =>
    [...names].flatMap((name) => {
      if (!isRecord(root[name])) return [];
      const { __typename, ...members } = root[name];
      const texts = Object.values(members).filter((value) => typeof value === 'string');
      const url = texts.find((text) => text.startsWith(exportPath));
      const content = members.content ?? texts.find((text) => text !== url);
      return typeof content === 'string' ? [{ name, content, file: fileOf(url) }] : [];
    }),
  );
}

function fileOf(url = '') {
  const asked = new URLSearchParams(url.slice(exportPath.length));
  const period = ['startDate', 'endDate'].map((name) => asked.get(name)).filter((date) => date !== null);
  return `${['charges-breakdown', ...period].join('-')}.csv`;
}

/** Writes a report as a table of its first rows, with a button that stores it whole. */
export function writeReport({ name, content, file }) {
  const { rows, count } = parseCsv(content, mostRows + 1);
  const [head = [], ...shown] = rows.map((row) => {
    const rest = row.length > mostColumns ? [`and ${countText(row.length - mostColumns, 'more', 'more')}`] : [];
    return [...row.slice(0, mostColumns).map((text) => shownText(text)), ...rest];
  });
  const total = Math.max(0, count - 1);
  const more = shown.length < total ? `, of which the first ${shown.length} are shown` : '';
  const writeRow = (row) => buildRow('tr', ...row.map((text) => buildCell(text)));
  return build(
    'section.report',
    { 'aria-label': `CSV of ${name}` },
    build(
      'p',
      `${name}: ${countText(total, 'row')}${more} `,
      buildButton(() => download(content, file), `Download ${file}`),
    ),
    buildScroll(`Rows of ${name}`, buildTable(null, head, shown.map(writeRow))),
  );
}

/** What scrolls has to be within reach of the keyboard, with a name. */
function buildScroll(name, content) {
  return build('div.scroll', { tabindex: '0', role: 'region', 'aria-label': name }, content);
}

function download(content, file) {
  const address = URL.createObjectURL(new Blob([content], { type: 'text/csv;charset=utf-8' }));
  build('a', { href: address, download: file }).click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

const mostDeliveries = 200;
const arrivalMillis = 3_000;

/** A list of what a subscription sends, newest first. `add` takes the payload of one event. */
export function createDeliveries(name) {
  const list = build('ol.deliveries', { reversed: '' });
  const count = build('p');
  const scroll = buildScroll(`List of ${name}`, list);
  const filter = build('input', {
    type: 'search',
    'aria-label': `Show only what has this of ${name}`,
    placeholder: 'Filter',
  });
  const texts = new WeakMap();
  const sift = (item) => (item.hidden = !texts.get(item).toLowerCase().includes(filter.value.trim().toLowerCase()));
  filter.addEventListener('input', () => {
    for (const item of list.children) sift(item);
  });
  return {
    element: build('section', { 'aria-label': `Deliveries of ${name}` }, count, filter, scroll),
    total: 0,
    add(payload) {
      this.total++;
      const text = JSON.stringify(payload, null, 2);
      const item = build('li.is-new', { value: String(this.total) }, writeEvent(payload, text));
      texts.set(item, text);
      sift(item);
      setTimeout(() => item.classList.remove('is-new'), arrivalMillis);
      list.prepend(item);
      if (list.childElementCount > mostDeliveries) list.lastElementChild.remove();
      const more = this.total > mostDeliveries ? `, the newest ${mostDeliveries} are shown` : '';
      count.textContent = `${countText(this.total, 'event')}${more}`;
    },
  };
}

const longestEvent = 20_000;

/** One line, which opens to all that the event has. */
function writeEvent(payload, text) {
  const details = build('details', build('summary', ...writeDelivery(payload)));
  const show = () => details.append(build('pre', { tabindex: '0' }, ...colour(shownText(text, longestEvent))));
  details.addEventListener('toggle', show, { once: true });
  return details;
}

/** The values of the one field of a subscription, whatever its alias; null where an event has no data. */
function writeDelivery(payload) {
  if (payload === null) return ['An event that is too long to be shown here, or no JSON'];
  const errors = Array.isArray(payload?.errors) ? payload.errors : [];
  const codes = errors.map((error) => shownText(error?.extensions?.code ?? 'error'));
  const [delivery = null] = isRecord(payload?.data) ? Object.values(payload.data) : [];
  const failure = codes.length === 0 ? [] : [build('strong.bad', shownText(codes.join(', ')))];
  if (!isRecord(delivery)) return failure.length > 0 ? failure : ['An event without a delivery'];
  const { status, startedAt, finishedAt, id, webhook } = delivery;
  const shown = { strong: status, span: webhook?.eventType, time: startedAt ?? finishedAt, code: id };
  const known = Object.entries(shown).filter(([, value]) => value != null);
  if (known.length === 0) return [...failure, build('code', shownText(delivery))];
  const statusData = { 'data-status': shownText(status, 20) };
  return [
    ...failure,
    ...known.map(([tag, value]) => build(tag, tag === 'strong' ? statusData : { class: 'quiet' }, shownText(value))),
  ];
}
