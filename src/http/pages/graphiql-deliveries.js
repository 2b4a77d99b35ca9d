import { build, countText, isRecord, shownText } from './graphiql-element.js';

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
