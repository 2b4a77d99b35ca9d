import { build, bytesText, countText, isRecord, measureOf, millisText, shownText } from './graphiql-element.js';

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
