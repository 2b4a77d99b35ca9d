import { createDeliveries } from './graphiql-deliveries.js';
import {
  boundedList,
  numberText,
  build,
  bytesText,
  countText,
  isRecord,
  measureOf,
  millisText,
  shownText,
} from './graphiql-element.js';
import { findReports, writeReport } from './graphiql-report.js';
import { writeWaterfall } from './graphiql-waterfall.js';

const mostErrors = 20;
/** Of the pieces of one answer: the operation with the most aliases has fewer. */
const mostReports = 10;
const offNotice = 'Sent while this panel was closed: run it again to see its calls.';
const noneNotice =
  'The answer lists no calls. The gateway lists them where EXPLAIN is on: by default before its sandbox alone.';
const piecesNotice = 'An answer in pieces lists no calls.';
const unreadNotice = 'The answer is too long to be read here, or it is no JSON.';

/** What the panel shows of one request. `wasAsked`: it was sent with the wish for its calls. */
export function createRequestEntry({ operation, wasAsked, copy }) {
  const name = shownText(operation.operationName ?? 'Unnamed operation', 80);
  const state = build('span', { class: 'state' }, 'under way');
  const places = Object.fromEntries(
    ['cost', 'errors', 'calls', 'notice', 'reports', 'events'].map((of) => [of, build('div', { class: of })]),
  );
  const summary = build('summary', {}, build('h3', {}, name), ' ', state);
  const element = build('details', { open: '' }, summary, ...Object.values(places));
  const errors = [];
  let deliveries = null;
  let payloads = 0;
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
    if (deliveries === null || explain.length > 0) places.calls.replaceChildren(writeWaterfall(explain, copy));
  }

  function showErrors(found) {
    errors.push(...found);
    const list = boundedList(errors, mostErrors, writeError);
    if (list !== null) places.errors.replaceChildren(list);
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
      payloads++;
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
      places.reports.append(...findReports(operation, payload).slice(0, room).map(writeReport));
    },
    end({ status, millis, bytes, error, isStopped }) {
      this.isLive = false;
      const wasStopped = isStopped && !isComplete && lastFailure === null;
      const failure = isStopped ? null : error;
      const ending = wasStopped ? 'stopped' : endingOf(status, failure, deliveries !== null, lastFailure);
      state.textContent = [ending, bytesText(bytes), millisText(millis)].join(' · ');
      state.classList.toggle('is-failed', !wasStopped && (status === null || status >= 400 || failure !== null));
      if (isUnread && deliveries === null) places.notice.textContent = unreadNotice;
      else if (!hasCalls && hasData && deliveries === null)
        places.notice.textContent = !wasAsked ? offNotice : payloads > 1 ? piecesNotice : noneNotice;
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
  const parts = [
    ...(measureOf(estimated) === null ? [] : [`estimated ${numberText(estimated)}`]),
    ...(measureOf(upstreamCalls) === null ? [] : [countText(upstreamCalls, 'call made', 'calls made')]),
  ];
  return parts.length === 0 ? [] : [`Cost: ${parts.join(', ')}`];
}

function writeError({ message, path, extensions }) {
  const { code, limit, actual } = isRecord(extensions) ? extensions : {};
  const bounds = measureOf(limit) === null ? [] : [` (${numberText(actual)}, where ${numberText(limit)} are allowed)`];
  return [
    build('strong', {}, shownText(code ?? 'error', 80)),
    ...(Array.isArray(path)
      ? [' at ', build('code', {}, shownText(path.map((part) => shownText(part)).join('.')))]
      : []),
    ...bounds,
    build('span', {}, shownText(message)),
  ];
}
