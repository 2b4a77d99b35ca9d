import { parseCsv } from './graphiql-readers.js';

/** Builds an element. Texts among its children stay texts, whatever they hold. */
export function build(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** A paragraph, a list item or a cell has at most so many characters of a text that the API sent. */
const longestShown = 300;

/** A value as text of bounded length; a dash stands for null. */
export function shownText(value, longest = longestShown) {
  if (value == null) return '–';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

export function isRecord(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A number that can be drawn; null for all else. */
export function measureOf(value) {
  const measure = typeof value === 'bigint' ? Number(value) : value;
  return Number.isFinite(measure) && measure >= 0 ? measure : null;
}

const counts = new Intl.NumberFormat('en');

/** A number with commas; anything else as it is shown elsewhere. */
export function numberText(value) {
  const measure = measureOf(value);
  return measure === null ? shownText(value, 20) : counts.format(measure);
}

export function countText(count, one, many = `${one}s`) {
  return `${counts.format(count)} ${count === 1 ? one : many}`;
}

export function bytesText(bytes) {
  const measure = measureOf(bytes);
  if (measure === null) return '–';
  if (measure < 1_000) return `${measure} B`;
  return measure < 1_000_000 ? `${(measure / 1_000).toFixed(1)} kB` : `${(measure / 1_000_000).toFixed(1)} MB`;
}

export function millisText(milliseconds) {
  const measure = measureOf(milliseconds);
  if (measure === null) return '–';
  if (measure >= 10_000) return `${(measure / 1_000).toFixed(1)} s`;
  return `${measure.toFixed(measure < 100 ? 1 : 0)} ms`;
}

/** A list of which only the first items are shown, with a count of the others; null where it is empty. */
export function boundedList(items, most, write) {
  if (items.length === 0) return null;
  const rest = items.length > most ? [build('li', {}, `and ${counts.format(items.length - most)} more`)] : [];
  return build('ul', {}, ...items.slice(0, most).map((item) => build('li', {}, ...write(item))), ...rest);
}

const mostCalls = 100;

/**
 * Places calls on one axis of time, in the order in which they began; `left` and `width` are shares of the axis, whose end is in
 * milliseconds. A call whose beginning is unknown has no place, and stands last.
 */
export function placeCalls(calls) {
  const placed = calls.map((call) => ({
    call,
    start: measureOf(call.startMilliseconds),
    length: measureOf(call.milliseconds) ?? 0,
  }));
  const end = placed.reduce((latest, { start, length }) => Math.max(latest, start === null ? 0 : start + length), 0);
  const share = (value) => (end === 0 || end === Infinity ? 0 : value / end);
  placed.sort((one, other) => (one.start ?? Infinity) - (other.start ?? Infinity) || 0);
  return {
    end,
    calls: placed.map(({ call, start, length }) => ({
      call,
      place: start === null ? null : { left: share(start), width: share(length) },
    })),
  };
}

/** Writes the calls of `extensions.explain` as a table with a waterfall; `copy` takes a command. */
export function writeWaterfall(explained, copy) {
  const { end, calls } = placeCalls(explained.filter(isRecord));
  const own = calls.filter(({ call }) => call.origin === 'own');
  const bytes = own.reduce((sum, { call }) => sum + (measureOf(call.bytes) ?? 0), 0);
  const rest = calls.length - mostCalls;
  return build(
    'div',
    { class: 'waterfall' },
    build(
      'table',
      // Named, because a browser may forget them where a narrow panel lays the table out as a grid.
      { role: 'table' },
      build(
        'caption',
        {},
        `${countText(calls.length, 'call')}: ${own.length} sent for this request, ${bytesText(bytes)}, ${millisText(end)}`,
      ),
      build(
        'thead',
        { role: 'rowgroup' },
        build(
          'tr',
          { role: 'row' },
          ...['Call', 'Status', 'Bytes', 'Time', 'Copy'].map((name) =>
            build('th', { scope: 'col', role: 'columnheader' }, name),
          ),
        ),
      ),
      build('tbody', { role: 'rowgroup' }, ...calls.slice(0, mostCalls).map((placed) => writeCall(placed, copy))),
    ),
    ...(rest > 0 ? [build('p', {}, `and ${countText(rest, 'more call', 'more calls')}`)] : []),
  );
}

function writeCall({ call, place }, copy) {
  const query = typeof call.query === 'string' && call.query !== '' ? `?${call.query}` : '';
  const status = measureOf(call.status);
  const isFailed = call.origin === null || (call.status !== null && (status === null || status >= 400));
  const cell = { role: 'cell' };
  const retries = measureOf(call.retries) ?? 0;
  return build(
    'tr',
    { role: 'row', 'data-origin': shownText(call.origin ?? 'none', 20), ...(isFailed && { class: 'is-failed' }) },
    build(
      'th',
      { scope: 'row', role: 'rowheader' },
      shownText(call.field),
      build('code', {}, shownText(call.operation)),
      ...(query === '' ? [] : [build('code', { class: 'call-query' }, shownText(query))]),
    ),
    build(
      'td',
      cell,
      shownText(call.status, 20),
      build('small', {}, shownText(call.origin ?? 'not made', 20)),
      ...(retries > 0 ? [build('small', {}, countText(retries, 'retry', 'retries'))] : []),
    ),
    build('td', cell, bytesText(call.bytes)),
    build('td', cell, millisText(call.milliseconds), ...writeBar(place, call.startMilliseconds)),
    build('td', cell, ...(typeof call.curl === 'string' ? [writeCopy(call.curl, copy)] : [])),
  );
}

function writeBar(place, start) {
  if (place === null) return [];
  const bar = build('span', { class: 'bar' });
  bar.style.setProperty('--left', `${place.left * 100}%`);
  bar.style.setProperty('--width', `${place.width * 100}%`);
  return [build('small', {}, `at ${millisText(start)}`), build('span', { class: 'axis' }, bar)];
}

function writeCopy(curl, copy) {
  const button = build('button', { type: 'button' }, build('span', { class: 'unseen' }, 'Copy as '), 'curl');
  button.addEventListener('click', () => void copy(curl, button));
  return button;
}

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

const mostDeliveries = 200;
const arrivalMillis = 3_000;

/** A list of what a subscription sends, newest first. `add` takes the payload of one event. */
export function createDeliveries(name) {
  const list = build('ol', { class: 'deliveries', reversed: '' });
  const count = build('p', {});
  const element = build(
    'section',
    { 'aria-label': `Deliveries of ${name}` },
    count,
    build('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': `List of ${name}` }, list),
  );
  let total = 0;
  return {
    element,
    get total() {
      return total;
    },
    add(payload) {
      total++;
      const item = build('li', { value: String(total), class: 'is-new' }, ...writeDelivery(payload));
      setTimeout(() => item.classList.remove('is-new'), arrivalMillis);
      list.prepend(item);
      if (list.childElementCount > mostDeliveries) list.lastElementChild.remove();
      const rest = total - list.childElementCount;
      count.textContent = `${countText(total, 'event')}${rest > 0 ? `, the newest ${mostDeliveries} are shown` : ''}`;
    },
  };
}

/** The values of the one field of a subscription, whatever its alias; null where an event has no data. */
function writeDelivery(payload) {
  if (payload === null) return ['An event that is too long to be shown here, or no JSON'];
  const errors = Array.isArray(payload?.errors) ? payload.errors : [];
  const codes = errors.map((error) => shownText(error?.extensions?.code ?? 'error'));
  const [delivery = null] = isRecord(payload?.data) ? Object.values(payload.data) : [];
  const failure = codes.length === 0 ? [] : [build('strong', { class: 'is-failed' }, shownText(codes.join(', ')))];
  if (!isRecord(delivery)) return failure.length > 0 ? failure : ['An event without a delivery'];
  const { status, startedAt, finishedAt, id, webhook } = delivery;
  const eventType = webhook?.eventType;
  const time = startedAt ?? finishedAt;
  if ([status, time, id, eventType].every((value) => value == null))
    return [...failure, build('code', {}, shownText(delivery))];
  const known = (tag, value, attributes = {}) => (value == null ? [] : [build(tag, attributes, shownText(value))]);
  return [
    ...failure,
    ...known('strong', status, { 'data-status': shownText(status, 20) }),
    ...known('span', eventType),
    ...known('time', time),
    ...known('code', id),
  ];
}
