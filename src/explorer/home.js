import { ask, headerOf, makeDelivery, offerKeys } from './gateway.js';
import { build, byId, colour, countText, isRecord, shownText, writeWaterfall } from './views.js';

const [form, key, offers, query, coloured, open] = byId('try', 'key', 'offers', 'query', 'coloured', 'open');
const [answer, outcome, calls, state] = byId('answer', 'outcome', 'calls', 'state');
const [list, liveState, news, toggle, make] = byId('live', 'live-state', 'live-news', 'live-toggle', 'live-make');

function show(element, text, mood = '') {
  element.textContent = text;
  element.classList.remove('good', 'bad', 'quiet');
  if (mood !== '') element.classList.add(mood);
}

/** The headers of a key, which goes into requests and is kept nowhere. */
const keyHeaders = () => headerOf(key.value.trim());
const noKey = 'This is no key: it holds spaces, or letters that a header cannot carry.';

// A query to edit: the field is clear, and its text has its colours in an element below it.
function colourQuery() {
  coloured.replaceChildren(...colour(query.value), '\n');
  open.href = `/graphql?query=${encodeURIComponent(query.value)}`;
}

let asked = 0;

async function run() {
  const press = ++asked;
  const began = performance.now();
  const headers = keyHeaders();
  if (headers === null) return show(outcome, noKey, 'bad');
  show(outcome, 'Asking …', 'quiet');
  let result = null;
  const take = (payload) => (result ??= payload);
  const status = await ask(query.value, take, { headers: { ...headers, 'x-cost': '1', 'x-explain': '1' } }).catch(
    () => null,
  );
  // A later press has its own answer.
  if (press !== asked) return;
  if (status === null || !isRecord(result)) return show(outcome, 'The gateway did not answer. Try again.', 'bad');
  const { data, errors, extensions: { cost, explain } = {} } = result;
  const sent = cost === undefined ? [] : [`${countText(cost.upstreamCalls, 'call')} to the API`];
  const parts = [`HTTP ${status}`, `${Math.round(performance.now() - began)} ms`, ...sent].join(', ');
  if (errors?.length > 0) show(outcome, `Answered with errors: ${parts}`, 'bad');
  else show(outcome, `Answered: ${parts}`, 'good');
  answer.replaceChildren(...colour(JSON.stringify({ data, errors }, null, '\t')));
  calls.hidden = !Array.isArray(explain);
  if (!calls.hidden) calls.replaceChildren(writeWaterfall(explain, (text) => show(outcome, text)));
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void run();
});
query.addEventListener('input', colourQuery);
query.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit();
});

// The newest deliveries, and those that come.
const mostRows = 6;
const againMillis = 5_000;
/** What is read out while deliveries come: a summary at most so often, in milliseconds. */
const newsMillis = 15_000;
const row = '{ id status startedAt webhook { eventType } }';
const newest = `{ webhookDeliveries(first: ${mostRows}) { nodes ${row} } }`;
const feed = `subscription { deliveryFeed { ... on DeliveryArrived { delivery ${row} } ... on FeedStateChanged { state } } }`;
/** Ends what is followed; null where nothing is. */
let following = null;
let unread = 0;

function writeRow({ id, status, startedAt, webhook }) {
  return build(
    'li',
    { 'data-id': shownText(id) },
    build('strong', { 'data-status': shownText(status, 20) }, shownText(status, 20)),
    build('code', shownText(webhook?.eventType, 40)),
    build('time', { datetime: shownText(startedAt) }, shownText(startedAt).slice(11, 19)),
  );
}

function showNewest({ webhookDeliveries }) {
  const rows = webhookDeliveries.nodes.filter(isRecord).map(writeRow);
  list.replaceChildren(...(rows.length > 0 ? rows : [build('li.quiet', 'There are none yet.')]));
}

function showEvent({ deliveryFeed: { delivery, state: feedState } }) {
  if (feedState === 'LIVE') show(liveState, 'live', 'good');
  else if (feedState !== undefined) show(liveState, 'the API cannot be read', 'bad');
  else if (list.querySelector(`[data-id="${CSS.escape(delivery.id)}"]`) === null) {
    list.prepend(writeRow(delivery));
    list.firstElementChild.classList.add('is-new');
    while (list.childElementCount > mostRows) list.lastElementChild.remove();
    if (unread++ === 0) setTimeout(readOut, newsMillis);
  }
}

function readOut() {
  news.textContent = countText(unread, 'new delivery', 'new deliveries');
  unread = 0;
}

/** Stops following, and says why. */
function stop(text, mood = 'bad') {
  following?.abort();
  following = null;
  toggle.textContent = 'Follow';
  show(liveState, text, mood);
}

/** Asks for data; an error that another attempt would have again ends all. */
function read(text, use, options) {
  const take = (payload) => {
    const [error] = payload?.errors ?? [];
    if (options.signal.aborted) return;
    if (error?.extensions?.retryable === false) stop(shownText(error.message));
    else if (isRecord(payload?.data)) use(payload.data);
  };
  return ask(text, take, options);
}

/** Shows the newest deliveries and then each that comes, until it is stopped. After a break it begins anew. */
async function follow() {
  const headers = keyHeaders();
  if (headers?.authorization === undefined) {
    stop(headers === null ? noKey : 'enter your key first');
    return key.focus();
  }
  following?.abort();
  following = new AbortController();
  const { signal } = following;
  toggle.textContent = 'Pause';
  while (!signal.aborted) {
    try {
      await read(newest, showNewest, { headers, signal });
      await read(feed, showEvent, { headers, signal });
    } catch {
      if (!signal.aborted) show(liveState, 'the gateway does not answer', 'bad');
    }
    await new Promise((resolve) => setTimeout(resolve, againMillis));
  }
}

toggle.addEventListener('click', () => (following === null ? void follow() : stop('paused', 'quiet')));
toggle.hidden = false;
make?.addEventListener('click', async () => (news.textContent = await makeDelivery(key.value.trim(), {})));

async function watch() {
  const response = await fetch('/ready').catch(() => null);
  const status = (await response?.json().catch(() => null))?.status ?? 'not reachable';
  show(state, status, status === 'ready' ? 'good' : 'bad');
}

/** Asks with another key, which stands in the field. */
function begin() {
  void run();
  // Where no motion is wanted, it begins when it is asked for.
  if (following !== null || !matchMedia('(prefers-reduced-motion: reduce)').matches) void follow();
}

colourQuery();
form.classList.add('is-coloured');
key.addEventListener('change', () => following !== null && void follow());
if (offers !== null) void offerKeys(offers, key, begin);
void watch();
setInterval(() => void watch(), 10_000);
// A key that stands there from the beginning is that of the sandbox.
if (key.value !== '') begin();
