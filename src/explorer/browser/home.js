import { followDeliveries } from './client/follow.js';
import { headersOf, post } from './client/http.js';
import { build, byId, colour } from './dom.js';

const [form, key, query, coloured, open] = byId('try', 'key', 'query', 'coloured', 'open');
const [answer, outcome, calls, state] = byId('answer', 'outcome', 'calls', 'state');
const [list, liveState, toggle, make] = byId('live', 'live-state', 'live-toggle', 'live-make');

function show(element, text, mood = 'quiet') {
  element.textContent = text;
  element.className = mood;
}

const caller = () => (key.value === '' ? {} : { key: key.value });

/** Sends a query with the key, and resolves with its status and body. */
async function ask(text, headers = {}) {
  const sent = await headersOf({ ...caller(), headers });
  const response = await post('/graphql', sent, { query: text }, 'application/json');
  return { status: response.status, ...(await response.json()) };
}

let asked = 0;

async function run() {
  const press = ++asked;
  const began = performance.now();
  show(outcome, 'Asking …');
  const result = await ask(query.value, { 'x-explain': '1' }).catch(() => null);
  // A later press has its own answer.
  if (press !== asked) return;
  if (result === null) return show(outcome, 'The gateway did not answer. Try again.', 'bad');
  const { status, data, errors, extensions: { explain } = {} } = result;
  const own = explain?.filter(({ origin }) => origin === 'own').length;
  const parts = [`HTTP ${status}`, `${Math.round(performance.now() - began)} ms`];
  if (own !== undefined) parts.push(`${own} ${own === 1 ? 'call' : 'calls'} to the API`);
  show(outcome, `Answered${errors ? ' with errors' : ''}: ${parts.join(', ')}`, errors ? 'bad' : 'good');
  answer.replaceChildren(...colour(JSON.stringify({ data, errors }, null, '\t')));
  calls.replaceChildren(...(Array.isArray(explain) ? [writeCalls(explain)] : []));
}

/** The calls to the API that the answer took, each with a bar on an axis of time. */
function writeCalls(explained) {
  const end = Math.max(1, ...explained.map((call) => call.startMilliseconds + call.milliseconds));
  const head = ['Call', 'Status', 'Bytes', 'Time'].map((text) => build('th', { scope: 'col' }, text));
  const rows = explained.map((call) => {
    const { operation, query: sent, status, origin, bytes, startMilliseconds: start, milliseconds } = call;
    const bar = build('span.bar');
    bar.style.marginInlineStart = `${(100 * start) / end}%`;
    bar.style.width = `${(100 * milliseconds) / end}%`;
    return build(
      'tr',
      build('th', { scope: 'row' }, build('code', `${operation}${sent ? `?${sent}` : ''}`)),
      build('td', `${status ?? '–'} ${origin ?? 'not made'}`),
      build('td', `${bytes ?? '–'}`),
      build('td', `${Math.round(milliseconds)} ms`, bar),
    );
  });
  const caption = build('caption.quiet', 'What this answer is made of');
  return build('table', caption, build('thead', build('tr', ...head)), build('tbody', ...rows));
}

// A query to edit: the field is clear, and its text has its colours in an element below it.
function colourQuery() {
  coloured.replaceChildren(...colour(query.value), '\n');
  open.href = `/graphql?query=${encodeURIComponent(query.value)}`;
}

const mostRows = 6;
const row = 'id status startedAt webhook { eventType }';
let stop = null;

function writeRow({ id, status, startedAt, webhook }) {
  const time = build('time', { datetime: startedAt ?? '' }, `${startedAt ?? '–'}`.slice(11, 19));
  const mood = status === 'failed' ? 'strong.bad' : 'strong.good';
  return build('li', { 'data-id': id }, build(mood, status ?? '–'), build('code', webhook?.eventType ?? '–'), time);
}

const events = {
  async state({ state: feedState, missed, reason }) {
    show(liveState, feedState === 'LIVE' ? 'live' : `paused: ${reason}`, feedState === 'LIVE' ? 'good' : 'bad');
    if (feedState !== 'LIVE' || (list.querySelector('strong') !== null && !missed)) return;
    const followed = stop;
    const { data } = await ask(`{ webhookDeliveries(first: ${mostRows}) { nodes { ${row} } } }`).catch(() => ({}));
    // Another key may be followed by now.
    if (followed !== stop) return;
    list.replaceChildren(...(data?.webhookDeliveries?.nodes ?? []).filter(Boolean).map(writeRow));
  },
  delivery({ delivery }) {
    if (list.querySelector(`[data-id="${CSS.escape(delivery.id)}"]`) !== null) return;
    list.prepend(writeRow(delivery));
    list.firstElementChild.classList.add('is-new');
    while (list.childElementCount > mostRows) list.lastElementChild.remove();
  },
  error() {},
  end: ({ errors }) => pause(errors[0]?.message ?? 'the stream has ended', 'bad'),
};

function pause(text, mood) {
  stop?.();
  stop = null;
  toggle.textContent = 'Follow';
  show(liveState, text, mood);
}

/** Shows the newest deliveries and then each that comes, as the key that stands in the field. */
function follow() {
  pause(key.value === '' ? 'enter your key first' : 'connecting …');
  if (key.value === '' || !form.reportValidity()) return key.focus();
  list.replaceChildren();
  toggle.textContent = 'Pause';
  stop = followDeliveries({ url: '/graphql', ...caller(), selection: row }, (event) => events[event.type](event));
}

async function watch() {
  const response = await fetch('/ready').catch(() => null);
  const status = (await response?.json().catch(() => null))?.status ?? 'not reachable';
  show(state, status, status === 'ready' ? 'good' : 'bad');
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void run();
});
query.addEventListener('input', colourQuery);
query.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit();
});
toggle.addEventListener('click', () => (stop === null ? follow() : pause('paused')));
key.addEventListener('change', () => stop !== null && follow());
make?.addEventListener('click', async () => {
  const sent = await headersOf(caller());
  await post('/sandbox/deliveries', sent, {}, 'application/json').catch(() => {});
});
colourQuery();
form.classList.add('is-coloured');
void watch();
setInterval(() => void watch(), 10_000);
// A key that stands there from the beginning is that of the sandbox. Where no motion is wanted, it begins when it is asked for.
if (key.value !== '') {
  void run();
  if (!matchMedia('(prefers-reduced-motion: reduce)').matches) follow();
}
