/** The elements of the page that have these ids, in their order; null where there is none. */
export function byId(...ids) {
  return ids.map((id) => document.getElementById(id));
}

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

// Each is named as its class, for which `parts.css` has a colour. A text before a colon is a name of JSON.
const tokens = new RegExp(
  [
    '(?<comment>#.*)',
    String.raw`(?<keyword>"(?:\\.|[^"\\\n])*"(?=\s*:)|@\w+|\b(?:query|mutation|subscription|fragment|on)\b)`,
    String.raw`(?<string>"""[^]*?"""|"(?:\\.|[^"\\\n])*"?)`,
    String.raw`(?<function>\$\w+)`,
    String.raw`(?<constant>\b(?:true|false|null)\b|-?\b\d[\w.+-]*)`,
  ].join('|'),
  'g',
);
/** Characters of a text that have colours; the rest is plain. */
const longestColoured = 50_000;

/** GraphQL or JSON as texts and elements with colours, in order. */
export function colour(text) {
  const parts = [];
  let end = 0;
  for (const { 0: token, index, groups } of text.slice(0, longestColoured).matchAll(tokens)) {
    const name = Object.keys(groups).find((group) => groups[group] !== undefined);
    parts.push(text.slice(end, index), build(`span.${name}`, token));
    end = index + token.length;
  }
  return [...parts, text.slice(end)];
}

// The parts of a table have roles, because a browser may forget them where a narrow panel lays the table out as a grid.
export const buildCell = (...parts) => build('td', { role: 'cell' }, ...parts);
export const buildRow = (name, ...parts) => build(name, { role: 'row' }, ...parts);

/** Builds a table of rows below the names of its columns. */
export function buildTable(caption, head, rows) {
  const columns = head.map((text) => build('th', { scope: 'col', role: 'columnheader' }, text));
  return build(
    'table',
    { role: 'table' },
    caption,
    build('thead', { role: 'rowgroup' }, buildRow('tr', ...columns)),
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

/** Writes the calls of `extensions.explain` as a table with a waterfall; `report` is told what came of copying one. */
export function writeWaterfall(explained, report) {
  const { end, calls } = placeCalls(explained.filter(isRecord));
  const own = calls.filter(({ call }) => call.origin === 'own');
  const bytes = own.reduce((sum, { call }) => sum + (measureOf(call.bytes) ?? 0), 0);
  const rest = calls.length - mostCalls;
  const sums = [`${own.length} sent for this request`, bytesText(bytes), millisText(end)].join(', ');
  return build(
    'div.waterfall',
    buildTable(
      build('caption.quiet', `${countText(calls.length, 'call')}: ${sums}`),
      ['Call', 'Status', 'Bytes', 'Time', 'Copy'],
      calls.slice(0, mostCalls).map((placed) => writeCall(placed, report)),
    ),
    rest > 0 ? build('p', `and ${countText(rest, 'more call', 'more calls')}`) : null,
  );
}

function writeCall({ call, place }, report) {
  const status = measureOf(call.status);
  const isFailed = call.origin === null || (call.status !== null && (status === null || status >= 400));
  const retries = measureOf(call.retries) ?? 0;
  const hasQuery = typeof call.query === 'string' && call.query !== '';
  const copy = (button) => copyText(call.curl, button, 'Copied. Set API_KEY and UPSTREAM_BASE_URL to run it.', report);
  return buildRow(
    isFailed ? 'tr.is-failed' : 'tr',
    { 'data-origin': shownText(call.origin ?? 'none', 20) },
    build(
      'th',
      { scope: 'row', role: 'rowheader' },
      build('code', shownText(call.operation)),
      hasQuery ? build('code.call-query.quiet', shownText(`?${call.query}`)) : null,
    ),
    buildCell(
      build(isFailed ? 'span.bad' : 'span', shownText(call.status, 20)),
      build('small.quiet', shownText(call.origin ?? 'not made', 20)),
      retries > 0 ? build('small.quiet', countText(retries, 'retry', 'retries')) : null,
    ),
    buildCell(bytesText(call.bytes)),
    buildCell(millisText(call.milliseconds), ...writeBar(place, call.startMilliseconds)),
    buildCell(typeof call.curl === 'string' ? buildButton(copy, build('span.unseen', 'Copy as '), 'curl') : null),
  );
}

function writeBar(place, start) {
  if (place === null) return [];
  const bar = build('span.bar');
  bar.style.setProperty('--left', `${place.left * 100}%`);
  bar.style.setProperty('--width', `${place.width * 100}%`);
  return [build('small.quiet', `at ${millisText(start)}`), build('span.axis', bar)];
}

/** For how long a button says what came of it, in milliseconds. */
const feedbackMillis = 2_000;

/**
 * Copies a text, and tells `report` what came of it. Where the browser refuses, the text stands below the button, to be copied by hand.
 */
export async function copyText(text, button, notice, report) {
  try {
    await navigator.clipboard.writeText(text);
    report(notice);
    if (button.dataset.feedback !== undefined) return;
    const label = [...button.childNodes];
    button.dataset.feedback = '';
    button.replaceChildren('Copied');
    setTimeout(() => {
      delete button.dataset.feedback;
      button.replaceChildren(...label);
    }, feedbackMillis);
  } catch {
    report('The browser does not let this page copy. Copy the line by hand.');
    const field =
      button.parentElement.querySelector('textarea') ??
      build('textarea', { readonly: '', 'aria-label': 'Text to copy', rows: '4' });
    field.value = text;
    button.after(field);
    field.select();
  }
}
