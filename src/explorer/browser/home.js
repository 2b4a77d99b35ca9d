import { followDeliveries } from './client/follow.js';
import { headersOf, post } from './client/http.js';
import { liveRows } from './client/live-rows.js';
import { build, byId } from './dom.js';

const [form, key, query, open, answer, outcome] = byId('try', 'key', 'query', 'open', 'answer', 'outcome');
const [calls, state, live, liveState, toggle, make] = byId('calls', 'state', 'live', 'live-state', 'toggle', 'make');
const show = (element, text, mood = 'quiet') => Object.assign(element, { textContent: text, className: mood });
const caller = () => (key.value === '' ? {} : { key: key.value });
const send = async (path, body, headers = {}) =>
  post(path, await headersOf({ ...caller(), headers }), body, 'application/json');

let asked = 0;

async function run(event) {
  event.preventDefault();
  const press = ++asked;
  show(outcome, 'Asking …');
  try {
    const response = await send('/graphql', { query: query.value }, { 'x-explain': '1' });
    const { data, errors, extensions: { explain = [] } = {} } = await response.json();
    // A later press has its own answer.
    if (press !== asked) return;
    const own = explain.filter(({ origin }) => origin === 'own').length;
    const facts = `HTTP ${response.status}, ${own} ${own === 1 ? 'call' : 'calls'} to the API`;
    show(outcome, `Answered${errors ? ' with errors' : ''}: ${facts}`, errors ? 'bad' : 'good');
    answer.textContent = JSON.stringify({ data, errors }, null, 2);
    const end = Math.max(1, ...explain.map((call) => call.startMilliseconds + call.milliseconds));
    calls.replaceChildren(...explain.map((call) => writeCall(call, 100 / end)));
  } catch {
    show(outcome, 'The gateway did not answer. Try again.', 'bad');
  }
}

function writeCall({ operation, query: sent, status, origin, startMilliseconds, milliseconds }, scale) {
  const bar = build('span.bar');
  bar.style.cssText = `margin-inline-start: ${startMilliseconds * scale}%; width: ${milliseconds * scale}%`;
  const facts = build('span.quiet', `${status ?? '–'} ${origin ?? 'not made'} · ${Math.round(milliseconds)} ms`);
  return build('li.line', build('code', `${operation}${sent ? `?${sent}` : ''}`), bar, facts);
}

const selection = 'id status startedAt webhook { eventType }';
let stop = null;
let rows = [];

function draw(arrived, listed) {
  rows = liveRows(arrived, listed).slice(0, 6);
  live.replaceChildren(...rows.map(writeRow));
}

function writeRow({ id, status, startedAt, webhook }) {
  const mood = build(status === 'failed' ? 'strong.bad' : 'strong.good', status ?? '–');
  const time = build('time', `${startedAt ?? '–'}`.slice(11, 19));
  return build('li.line', { 'data-id': id }, mood, build('code', webhook?.eventType ?? '–'), time);
}

/** Shows the newest deliveries. What arrives meanwhile stands above them. */
async function list() {
  const followed = stop;
  const response = await send('/graphql', { query: `{ webhookDeliveries(first: 6) { nodes { ${selection} } } }` });
  const { data } = await response.json();
  // Another key may be followed by now.
  if (followed === stop) draw(rows, (data?.webhookDeliveries?.nodes ?? []).filter(Boolean));
}

function pause(text, mood) {
  stop?.();
  stop = null;
  toggle.textContent = 'Follow';
  show(liveState, text, mood);
}

function follow() {
  pause(key.value === '' ? 'enter your key first' : 'connecting …');
  if (key.value === '' || !form.reportValidity()) return key.focus();
  rows = [];
  toggle.textContent = 'Pause';
  stop = followDeliveries({ url: '/graphql', ...caller(), selection }, (event) => {
    if (event.type === 'delivery') draw([event.delivery], rows);
    if (event.type === 'end') pause(event.errors[0]?.message ?? 'the stream has ended', 'bad');
    if (event.state === 'PAUSED') show(liveState, `paused: ${event.reason}`, 'bad');
    if (event.state !== 'LIVE') return;
    show(liveState, 'live', 'good');
    list().catch(() => {});
  });
}

form.addEventListener('submit', run);
query.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit();
});
open.addEventListener('click', () => (open.href = `/graphql?query=${encodeURIComponent(query.value)}`));
toggle.addEventListener('click', () => (stop === null ? follow() : pause('paused')));
key.addEventListener('change', () => stop !== null && follow());
make?.addEventListener('click', () => send('/sandbox/deliveries', {}).catch(() => {}));
const { ok } = await fetch('/ready').catch(() => ({ ok: false }));
show(state, ok ? 'ready' : 'not ready', ok ? 'good' : 'bad');
// A key that stands there from the beginning is that of the sandbox. Where no motion is wanted, it begins when it is asked for.
if (key.value !== '') {
  form.requestSubmit();
  if (!matchMedia('(prefers-reduced-motion: reduce)').matches) follow();
}
