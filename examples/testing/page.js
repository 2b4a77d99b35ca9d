/** What the page says for each code of an error. */
export const texts = {
  BAD_USER_INPUT: 'Something in this request cannot be used.',
  UNAUTHENTICATED: 'Enter a valid key.',
  FORBIDDEN: 'This key may not see deliveries.',
  NOT_FOUND: 'There are no deliveries here.',
  UNPROCESSABLE_ENTITY: 'This account cannot be billed.',
  RATE_LIMITED: 'Too many requests: wait a moment.',
  UPSTREAM_ERROR: 'The platform has failed.',
  UPSTREAM_TIMEOUT: 'The platform did not answer in time.',
  UPSTREAM_UNAVAILABLE: 'The platform cannot be reached.',
  UPSTREAM_BAD_RESPONSE: 'The platform sent what cannot be read.',
  QUERY_TOO_COMPLEX: 'This page asks for too much.',
  INTERNAL_SERVER_ERROR: 'Something broke on our side.',
};

const query = `{
  webhookDeliveries(first: 10) { nodes { id status attempts { status } } }
  chargesSummary(startDate: "2026-10-01", endDate: "2026-10-31") { total { grandTotal } }
}`;
const live = 'subscription { deliveryFeed { ... on DeliveryArrived { delivery { id status } } } }';

/** @typedef {{ id: string, status: string }} Row */

/**
 * @param {string} url
 * @param {string} key
 * @param {string} text
 * @param {string} accept
 */
const send = (url, key, text, accept) =>
  fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept, authorization: `Bearer ${key}` },
    body: JSON.stringify({ query: text }),
  });

/**
 * The newest deliveries, and a text for what went wrong; an empty one where nothing did.
 *
 * @param {string} url
 * @param {string} key
 * @returns {Promise<{ rows: Row[], text: string }>}
 */
export async function loadDeliveries(url, key) {
  const response = await send(url, key, query, 'application/json');
  const { data, errors = [] } = await response.json();
  const code = /** @type {keyof typeof texts | undefined} */ (errors[0]?.extensions.code);
  return { rows: data?.webhookDeliveries?.nodes ?? [], text: code === undefined ? '' : texts[code] };
}

/**
 * Hands on the deliveries that appear from now on. Our client package does the same over broken connections.
 *
 * @param {string} url
 * @param {string} key
 * @param {(row: Row) => void} take
 */
export async function followDeliveries(url, key, take) {
  const { body } = await send(url, key, live, 'text/event-stream');
  let text = '';
  for await (const chunk of /** @type {AsyncIterable<string>} */ (body?.pipeThrough(new TextDecoderStream()) ?? [])) {
    const lines = (text + chunk).split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) {
      const event = line.startsWith('data: {') ? JSON.parse(line.slice('data: '.length)) : {};
      const row = event.data?.deliveryFeed.delivery;
      if (row !== undefined) take(row);
    }
  }
}
