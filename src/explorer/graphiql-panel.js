import { stored } from './graphiql-frame.js';
import { createDeliveries, findReports, writeReport } from './graphiql-lists.js';
import {
  build,
  buildButton,
  byId,
  bytesText,
  copyText,
  countText,
  isRecord,
  measureOf,
  millisText,
  numberText,
  shownText,
  writeWaterfall,
} from './views.js';

const mostErrors = 20;
/** Of the pieces of one answer: the operation with the most aliases has fewer. */
const mostReports = 10;
const notices = {
  off: 'Sent while this panel was closed: run it again to see its calls.',
  none: 'The answer lists no calls. The gateway lists them where EXPLAIN is on: by default before its sandbox alone.',
  unread: 'The answer is too long to be read here, or it is no JSON.',
};

/** What the panel shows of one request. `wasAsked`: it was sent with the wish for its calls. */
function createEntry(operation, wasAsked) {
  const { query, operationName } = operation;
  const name = shownText(operationName ?? 'Unnamed operation', 80);
  const state = build('span.state.quiet', 'under way');
  const places = Object.fromEntries(
    ['cost', 'errors', 'calls', 'notice', 'copies', 'reports', 'events'].map((of) => [of, build(`div.${of}`)]),
  );
  const summary = build('summary', build('h3', name), ' ', state);
  const element = build('details', { open: '' }, summary, ...Object.values(places));
  places.copies.append('Copy as ');
  for (const [form, text] of Object.entries(copiesOf(operation))) {
    const copy = (button) => copyText(text, button, 'Copied. It holds no key.', report);
    places.copies.append(' ', buildButton(copy, build('span.unseen', 'Copy the request as '), form));
  }
  const errors = [];
  let deliveries = null;
  let isUnread = false;
  let hasCalls = false;
  let hasData = false;
  let lastFailure = null;
  let isComplete = false;

  function showExtensions({ cost, explain } = {}) {
    if (isRecord(cost)) places.cost.replaceChildren(...writeCost(cost));
    if (!Array.isArray(explain)) return;
    hasCalls = true;
    // An event of a stream has calls of its own, if any.
    if (deliveries === null || explain.length > 0) places.calls.replaceChildren(writeWaterfall(explain, report));
  }

  function showErrors(found) {
    errors.push(...found);
    if (errors.length === 0) return;
    const more = errors.length - mostErrors;
    const items = errors.slice(0, mostErrors).map((error) => build('li', ...writeError(error)));
    places.errors.replaceChildren(build('ul', ...items, more > 0 ? build('li', `and ${numberText(more)} more`) : null));
  }

  return {
    element,
    name,
    summary,
    isLive: true,
    get events() {
      return deliveries?.total ?? 0;
    },
    get hasReport() {
      return places.reports.childElementCount > 0;
    },
    take(payload, isEvent) {
      if (isEvent) {
        if (deliveries === null) {
          deliveries = createDeliveries(name);
          places.events.append(deliveries.element);
        }
        deliveries.add(payload);
        state.textContent = 'live';
      }
      isUnread ||= payload === null;
      if (!isRecord(payload)) return;
      hasData ||= payload.data != null;
      const found = Array.isArray(payload.errors) ? payload.errors.filter(isRecord) : [];
      lastFailure = payload.data == null && found.length > 0 ? found[0] : null;
      // GraphiQL leaves an answer in pieces as soon as it has the last one.
      isComplete ||= payload.hasNext === false;
      const ofPieces = Array.isArray(payload.incremental) ? payload.incremental.filter(isRecord) : [];
      if (!isEvent) showErrors([...found, ...ofPieces.flatMap((piece) => piece.errors ?? []).filter(isRecord)]);
      showExtensions(isRecord(payload.extensions) ? payload.extensions : {});
      const room = mostReports - places.reports.childElementCount;
      places.reports.append(...findReports(query, payload).slice(0, room).map(writeReport));
    },
    end({ status, millis, bytes, error, isStopped }) {
      this.isLive = false;
      const wasStopped = isStopped && !isComplete && lastFailure === null;
      const failure = isStopped ? null : error;
      const ending = wasStopped ? 'stopped' : endingOf(status, failure, deliveries !== null, lastFailure);
      state.textContent = [ending, bytesText(bytes), millisText(millis)].join(' · ');
      state.classList.toggle('bad', !wasStopped && (status === null || status >= 400 || failure !== null));
      if (deliveries !== null) return;
      if (isUnread) places.notice.textContent = notices.unread;
      else if (!hasCalls && hasData) places.notice.textContent = wasAsked ? notices.none : notices.off;
    },
  };
}

/** How a request ended that nobody stopped. `error` is the reason of a connection that broke. */
function endingOf(status, error, isStream, lastFailure) {
  if (status === null) return `no answer: ${shownText(error, 80)}`;
  if (error !== null) return `broken off: ${shownText(error, 80)}`;
  if (!isStream) return String(status);
  return lastFailure === null ? 'ended' : `ended by ${shownText(lastFailure.extensions?.code ?? 'an error', 80)}`;
}

function writeCost({ estimated, upstreamCalls }) {
  const parts = [];
  if (measureOf(estimated) !== null) parts.push(`estimated ${numberText(estimated)}`);
  if (measureOf(upstreamCalls) !== null) parts.push(countText(upstreamCalls, 'call made', 'calls made'));
  return parts.length === 0 ? [] : [`Cost: ${parts.join(', ')}`];
}

function writeError({ message, path, extensions }) {
  const { code, limit, actual } = isRecord(extensions) ? extensions : {};
  const bounds = measureOf(limit) === null ? [] : [` (${numberText(actual)}, where ${numberText(limit)} are allowed)`];
  return [
    build('strong.bad', shownText(code ?? 'error', 80)),
    ...(Array.isArray(path) ? [' at ', build('code', shownText(path.map((part) => shownText(part)).join('.')))] : []),
    ...bounds,
    build('p', shownText(message)),
  ];
}

/** A request in forms that run elsewhere, with a place for the key: a command, a call in JavaScript, and a link that opens it here. */
function copiesOf({ query, operationName, variables }) {
  const address = new URL('/graphql', location.href);
  const body = {
    query,
    ...(Object.keys(variables).length > 0 && { variables }),
    ...(operationName !== null && { operationName }),
  };
  const isStream = /^\s*(?:#.*\s*)*subscription\b/.test(query);
  const accept = isStream ? " -N -H 'Accept: text/event-stream'" : '';
  const quoted = JSON.stringify(body).replaceAll("'", "'\\''");
  const type = "-H 'Content-Type: application/json'";
  const headers = `{ 'Content-Type': 'application/json', Authorization: \`Bearer \${key}\`${isStream ? ", Accept: 'text/event-stream'" : ''} }`;
  const link = Object.entries(body).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return {
    curl: `curl -s${accept} ${address} -H "Authorization: Bearer $KEY" ${type} -d '${quoted}'`,
    fetch: `await fetch('${address}', {\n  method: 'POST',\n  headers: ${headers},\n  body: JSON.stringify(${JSON.stringify(body, null, 2)}),\n})`,
    link: `${address}?${new URLSearchParams(link)}`,
  };
}

const mostRequests = 20;
const panelName = 'switchboard:panel';
const heightName = 'switchboard:panel-height';
const usualHeight = 40;
/** What is read out while events come: a summary at most so often, in milliseconds. */
const reportMillis = 5_000;

const [panel, panelBar] = byId('request-panel', 'panel-bar');
const [panelToggle, panelNews] = byId('panel-toggle', 'panel-news');
const panelState = build('p.unseen', { role: 'status' });
const panelEmpty = build('p', 'Run an operation to see the calls to the API that it makes.');
const panelClear = buildButton(clear, 'Clear');
const requestList = build('div.requests');
panel.append(build('header.row', build('h2', 'Requests'), panelClear), panelState, panelEmpty, requestList);

/** Headers that the panel adds to each request while it is open, in lower case as the tabs' own: both forms would be sent as one. */
export const panelHeaders = () => (panel.hidden ? {} : { 'x-explain': '1', 'x-cost': '1' });

/** The oldest first. */
const entries = new Set();
let newsEntry = null;
let reportTimer = null;

function report(text) {
  panelState.textContent = text;
}

function forget(entry) {
  entry.element.remove();
  entries.delete(entry);
  if (newsEntry === entry) showNews(null);
}

function tidy() {
  panelEmpty.hidden = entries.size > 0;
  panelClear.hidden = entries.size === 0;
  if (entries.size <= mostRequests) return;
  forget([...entries].find(({ isLive }) => !isLive) ?? [...entries][0]);
}

function clear() {
  for (const entry of entries) if (!entry.isLive) forget(entry);
  tidy();
  // A hidden button cannot keep the focus.
  if (panelClear.hidden) panelToggle.focus();
}

/** Offers what the closed panel has: a live list, or a report. */
function showNews(entry) {
  newsEntry = entry;
  panelNews.hidden = entry === null || !panel.hidden;
  if (entry !== null) panelNews.textContent = entry.events > 0 ? `Live (${entry.events})` : 'CSV';
}

function setPanel(isOpen) {
  panel.hidden = !isOpen;
  panelBar.hidden = !isOpen;
  panelToggle.setAttribute('aria-expanded', String(isOpen));
  showNews(newsEntry);
  stored('sessionStorage', (storage) => storage.setItem(panelName, String(isOpen)));
}

/** Gives the panel a share of the height that it has together with GraphiQL, in percent. */
function setHeight(percent) {
  const share = Math.round(Math.min(85, Math.max(15, percent)));
  panel.parentElement.style.setProperty('--panel-height', `${share}%`);
  panelBar.setAttribute('aria-valuenow', String(share));
  stored('sessionStorage', (storage) => storage.setItem(heightName, String(share)));
}

panelBar.addEventListener('pointerdown', ({ pointerId }) => panelBar.setPointerCapture(pointerId));
panelBar.addEventListener('pointermove', ({ pointerId, clientY }) => {
  if (!panelBar.hasPointerCapture(pointerId)) return;
  const { bottom, height } = panel.parentElement.getBoundingClientRect();
  setHeight(((bottom - clientY) / height) * 100);
});
panelBar.addEventListener('keydown', (event) => {
  const step = { ArrowUp: 5, ArrowDown: -5 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  setHeight(Number(panelBar.getAttribute('aria-valuenow')) + step);
});

function reportSoon(entry) {
  reportTimer ??= setTimeout(() => {
    reportTimer = null;
    report(`${entry.name}: ${countText(entry.events, 'event')}`);
  }, reportMillis);
}

/** Begins to show a request; what happens to it later is shown as long as the panel keeps it. */
export function beginRequest(operation) {
  for (const { element, isLive } of entries) if (!isLive) element.open = false;
  const entry = createEntry(operation, !panel.hidden);
  entries.add(entry);
  requestList.prepend(entry.element);
  tidy();
  return {
    take(payload, isEvent) {
      if (!entries.has(entry)) return;
      entry.take(payload, isEvent);
      if (isEvent) reportSoon(entry);
      if (isEvent || entry.hasReport) showNews(entry);
    },
    end(ending) {
      if (!entries.has(entry)) return;
      entry.end(ending);
      if (entry.events > 0) report(`${entry.name} has ended after ${countText(entry.events, 'event')}`);
    },
  };
}

panelToggle.addEventListener('click', () => {
  setPanel(panel.hidden);
  // On a narrow screen it stands below the answer.
  if (!panel.hidden && entries.size > 0) panel.scrollIntoView({ block: 'nearest' });
});
panelNews.addEventListener('click', () => {
  const entry = newsEntry;
  setPanel(true);
  entry.element.open = true;
  // The button goes, so the focus goes on with what it led to.
  entry.summary.focus();
});
tidy();
setHeight(Number(stored('sessionStorage', (storage) => storage.getItem(heightName)) ?? usualHeight));
setPanel(stored('sessionStorage', (storage) => storage.getItem(panelName)) === 'true');
