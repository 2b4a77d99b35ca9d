import { parseCsv } from './graphiql-readers.js';

/** Builds an element, such as `span.state`. Nodes and texts are its children, whatever the texts hold; records are attributes. */
export function build(name, ...parts) {
  const [tag, ...classes] = name.split('.');
  const element = document.createElement(tag);
  element.classList.add(...classes);
  for (const part of parts) {
    if (typeof part === 'string' || part instanceof Node) element.append(part);
    else for (const [attribute, value] of Object.entries(part ?? {})) element.setAttribute(attribute, value);
  }
  return element;
}

/** Builds a table. Its parts have roles, because a browser may forget them where a narrow panel lays the table out as a grid. */
function buildTable(caption, head, rows) {
  const columns = head.map((text) => build('th', { scope: 'col', role: 'columnheader' }, text));
  return build(
    'table',
    { role: 'table' },
    caption,
    build('thead', { role: 'rowgroup' }, build('tr', { role: 'row' }, ...columns)),
    build('tbody', { role: 'rowgroup' }, ...rows),
  );
}

/** A button, which says nothing to a form around it. */
export function buildButton(act, ...parts) {
  const button = build('button', { type: 'button' }, ...parts);
  button.addEventListener('click', () => act(button));
  return button;
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
  const sums = [`${own.length} sent for this request`, bytesText(bytes), millisText(end)].join(', ');
  return build(
    'div.waterfall',
    buildTable(
      build('caption', `${countText(calls.length, 'call')}: ${sums}`),
      ['Call', 'Status', 'Bytes', 'Time', 'Copy'],
      calls.slice(0, mostCalls).map((placed) => writeCall(placed, copy)),
    ),
    rest > 0 ? build('p', `and ${countText(rest, 'more call', 'more calls')}`) : null,
  );
}

function writeCall({ call, place }, copy) {
  const status = measureOf(call.status);
  const isFailed = call.origin === null || (call.status !== null && (status === null || status >= 400));
  const retries = measureOf(call.retries) ?? 0;
  const hasQuery = typeof call.query === 'string' && call.query !== '';
  const cell = (...parts) => build('td', { role: 'cell' }, ...parts);
  return build(
    isFailed ? 'tr.is-failed' : 'tr',
    { role: 'row', 'data-origin': shownText(call.origin ?? 'none', 20) },
    build(
      'th',
      { scope: 'row', role: 'rowheader' },
      shownText(call.field),
      build('code', shownText(call.operation)),
      hasQuery ? build('code.call-query', shownText(`?${call.query}`)) : null,
    ),
    cell(
      shownText(call.status, 20),
      build('small', shownText(call.origin ?? 'not made', 20)),
      retries > 0 ? build('small', countText(retries, 'retry', 'retries')) : null,
    ),
    cell(bytesText(call.bytes)),
    cell(millisText(call.milliseconds), ...writeBar(place, call.startMilliseconds)),
    cell(
      typeof call.curl === 'string'
        ? buildButton((button) => copy(call.curl, button), build('span.unseen', 'Copy as '), 'curl')
        : null,
    ),
  );
}

function writeBar(place, start) {
  if (place === null) return [];
  const bar = build('span.bar');
  bar.style.setProperty('--left', `${place.left * 100}%`);
  bar.style.setProperty('--width', `${place.width * 100}%`);
  return [build('small', `at ${millisText(start)}`), build('span.axis', bar)];
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
  const writeRow = (row) => build('tr', { role: 'row' }, ...row.map((text) => build('td', { role: 'cell' }, text)));
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
  const show = () => details.append(build('pre', { tabindex: '0' }, shownText(text, longestEvent)));
  details.addEventListener('toggle', show, { once: true });
  return details;
}

/** The values of the one field of a subscription, whatever its alias; null where an event has no data. */
function writeDelivery(payload) {
  if (payload === null) return ['An event that is too long to be shown here, or no JSON'];
  const errors = Array.isArray(payload?.errors) ? payload.errors : [];
  const codes = errors.map((error) => shownText(error?.extensions?.code ?? 'error'));
  const [delivery = null] = isRecord(payload?.data) ? Object.values(payload.data) : [];
  const failure = codes.length === 0 ? [] : [build('strong.is-failed', shownText(codes.join(', ')))];
  if (!isRecord(delivery)) return failure.length > 0 ? failure : ['An event without a delivery'];
  const { status, startedAt, finishedAt, id, webhook } = delivery;
  const shown = { strong: status, span: webhook?.eventType, time: startedAt ?? finishedAt, code: id };
  const known = Object.entries(shown).filter(([, value]) => value != null);
  if (known.length === 0) return [...failure, build('code', shownText(delivery))];
  const statusData = { 'data-status': shownText(status, 20) };
  return [
    ...failure,
    ...known.map(([tag, value]) => build(tag, tag === 'strong' ? statusData : null, shownText(value))),
  ];
}
