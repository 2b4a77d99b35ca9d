import { followDeliveries } from './client/follow.js';
import { headersOf, post } from './client/http.js';
import { liveRows } from './client/live-rows.js';
import { build, byId } from './dom.js';

const [form, key, query, open, answer, outcome, calls] = byId(
  'try',
  'key',
  'query',
  'open',
  'answer',
  'outcome',
  'calls',
);
const [state, list, liveState, toggle, make] = byId('state', 'live', 'live-state', 'live-toggle', 'live-make');

function show(element, text, mood = 'quiet') {
  element.textContent = text;
  element.className = mood;
}

const caller = () => (key.value === '' ? {} : { key: key.value });

/** Sends something as JSON with the key. */
async function send(path, body, headers = {}) {
  return post(path, await headersOf({ ...caller(), headers }), body, 'application/json');
}

// Each is named as its colour in `site.css`. A text before a colon is a name of JSON.
const tokens = new RegExp(
  [
    '(?<comment>#.*)',
    String.raw`(?<keyword>"(?:\\.|[^"\\\n])*"(?=\s*:)|@\w+|\b(?:query|mutation|subscription|fragment|on)\b)`,
    String.raw`(?<string>"(?:\\.|[^"\\\n])*"?)`,
    String.raw`(?<function>\$\w+)`,
    String.raw`(?<constant>\b(?:true|false|null)\b|-?\b\d[\w.+-]*)`,
  ].join('|'),
  'g',
);

/** Gives the query and the answer their colours, in a browser that can. */
function colour() {
  if (CSS.highlights === undefined) return;
  CSS.highlights.clear();
  for (const node of [...query.childNodes, ...answer.childNodes])
    for (const { 0: token, index, groups } of (node.nodeValue ?? '').slice(0, 50_000).matchAll(tokens)) {
      const name = Object.keys(groups).find((group) => groups[group] !== undefined);
      if (!CSS.highlights.has(name)) CSS.highlights.set(name, new Highlight());
      const ends = { startOffset: index, endOffset: index + token.length };
      CSS.highlights.get(name).add(new StaticRange({ startContainer: node, endContainer: node, ...ends }));
    }
}

let asked = 0;

async function run() {
  const press = ++asked;
  const began = performance.now();
  show(outcome, 'Asking …');
  try {
    const response = await send('/graphql', { query: query.innerText }, { 'x-explain': '1' });
    const { data, errors, extensions: { explain } = {} } = await response.json();
    // A later press has its own answer.
    if (press !== asked) return;
    const own = explain?.filter(({ origin }) => origin === 'own').length;
    const parts = [`HTTP ${response.status}`, `${Math.round(performance.now() - began)} ms`];
    if (own !== undefined) parts.push(`${own} ${own === 1 ? 'call' : 'calls'} to the API`);
    show(outcome, `Answered${errors ? ' with errors' : ''}: ${parts.join(', ')}`, errors ? 'bad' : 'good');
    answer.textContent = JSON.stringify({ data, errors }, null, '\t');
    calls.replaceChildren(...writeCalls(explain ?? []));
    colour();
  } catch {
    show(outcome, 'The gateway did not answer. Try again.', 'bad');
  }
}

/** The calls to the API that the answer took, each with a bar on an axis of time. */
function writeCalls(explained) {
  const end = Math.max(1, ...explained.map((call) => call.startMilliseconds + call.milliseconds));
  return explained.map(({ operation, query: sent, status, origin, bytes, startMilliseconds: start, milliseconds }) => {
    const bar = build('span.bar');
    bar.style.marginInlineStart = `${(100 * start) / end}%`;
    bar.style.width = `${(100 * milliseconds) / end}%`;
    const facts = `${status ?? '–'} ${origin ?? 'not made'} · ${bytes ?? '–'} bytes · ${Math.round(milliseconds)} ms`;
    return build('li', build('code', `${operation}${sent ? `?${sent}` : ''}`), bar, build('span.quiet', facts));
  });
}

const mostRows = 6;
const row = 'id status startedAt webhook { eventType }';
let stop = null;
let rows = [];

function draw(arrived, listed) {
  rows = liveRows(arrived, listed).slice(0, mostRows);
  const elements = rows.map(({ id, status, startedAt, webhook }) => {
    const time = build('time', { datetime: startedAt ?? '' }, `${startedAt ?? '–'}`.slice(11, 19));
    const mood = status === 'failed' ? 'strong.bad' : 'strong.good';
    return build('li', { 'data-id': id }, build(mood, status ?? '–'), build('code', webhook?.eventType ?? '–'), time);
  });
  list.replaceChildren(...elements);
}

const events = {
  async state({ state: feedState, missed, reason }) {
    const isLive = feedState === 'LIVE';
    show(liveState, isLive ? 'live' : `paused: ${reason}`, isLive ? 'good' : 'bad');
    if (!isLive || (rows.length > 0 && !missed)) return;
    const followed = stop;
    const newest = `{ webhookDeliveries(first: ${mostRows}) { nodes { ${row} } } }`;
    const response = await send('/graphql', { query: newest }).catch(() => null);
    const { data } = (await response?.json()) ?? {};
    // Another key may be followed by now.
    if (followed === stop) draw([], (data?.webhookDeliveries?.nodes ?? []).filter(Boolean));
  },
  delivery: ({ delivery }) => draw([delivery], rows),
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
  rows = [];
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
query.addEventListener('input', colour);
query.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit();
});
open.addEventListener('click', () => (open.href = `/graphql?query=${encodeURIComponent(query.innerText)}`));
toggle.addEventListener('click', () => (stop === null ? follow() : pause('paused')));
key.addEventListener('change', () => stop !== null && follow());
make?.addEventListener('click', () => send('/sandbox/deliveries', {}).catch(() => {}));
colour();
void watch();
setInterval(() => void watch(), 10_000);
// A key that stands there from the beginning is that of the sandbox. Where no motion is wanted, it begins when it is asked for.
if (key.value !== '') {
  void run();
  if (!matchMedia('(prefers-reduced-motion: reduce)').matches) follow();
}
