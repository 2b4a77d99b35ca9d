// What pages send to their gateway and its sandbox, and how they read what comes.

/** Characters of one payload that the panes read; a longer one is shown by GraphiQL alone. */
const longestPayload = 5_000_000;

/** Characters at the end of a text that may be the beginning of a separator. */
const longestSeparator = 200;

// GraphiQL puts a parser in the place of this one. Its own keeps long integers whole, as BigInt, but fails at 1e308.
const nativeParse = JSON.parse;

/** Null where the text is no JSON. */
export function parsePayload(text) {
  for (const parse of [JSON.parse, nativeParse]) {
    try {
      return parse(text);
    } catch {}
  }
  return null;
}

const linesOf = (piece) => piece.split(/\r\n|\n|\r/);

// Only these end a line (HTML, "Server-sent events"): `^`, `$` and `.` know others.
const events = {
  separator: /\r\n(?:\r\n|\n|\r)|\n(?:\r\n|\n|\r)|\r(?!\n)(?:\r\n|\n|\r)/,
  start: '',
  textOf: (piece) =>
    linesOf(piece)
      .flatMap((line) => (line.startsWith('data:') ? [line.slice(5)] : []))
      .join('\n'),
  isLast: (piece) => linesOf(piece).some((line) => /^event: ?complete$/.test(line)),
};

/** What separates the pieces of a body, what it leaves out of its first separator, and the JSON within a piece. */
function piecesOf(mediaType) {
  if (mediaType.startsWith('text/event-stream')) return events;
  const boundary = /^multipart\/.*boundary="?([^";]+)/i.exec(mediaType)?.[1];
  if (boundary === undefined) return { separator: null, start: '', textOf: (piece) => piece, isLast: () => false };
  return {
    separator: new RegExp(`\r\n--${boundary.replaceAll(/[^\w]/g, String.raw`\$&`)}(?:--)?(?=\r\n|$)`),
    start: '\r\n',
    textOf: (piece) => piece.split('\r\n\r\n').slice(1).join('\r\n\r\n'),
    isLast: () => false,
  };
}

/**
 * Reads the payloads of a body as its bytes come, and hands each to `use`: null stands for one that cannot be read. `complete` is
 * called where a stream of events says that it is: its reader may leave the rest unread.
 */
export function readPayloads(mediaType, use, complete = () => {}) {
  const { separator, start, textOf, isLast } = piecesOf(mediaType);
  const decoder = new TextDecoder();
  // What was searched for a separator, and holds none; and what is searched again with the bytes that come next.
  let searched = '';
  let text = start;
  let isTooLong = false;

  function take(piece) {
    const json = textOf(piece).trim();
    if (isTooLong || piece.length > longestPayload) use(null);
    else if (json !== '') use(parsePayload(json));
    isTooLong = false;
    if (isLast(piece)) complete();
  }

  return {
    push(bytes) {
      text += decoder.decode(bytes, { stream: true });
      const whole = separator === null ? [text] : text.split(separator);
      text = whole.pop();
      for (const piece of whole) {
        take(searched + piece);
        searched = '';
      }
      const end = Math.max(0, text.length - longestSeparator);
      searched += text.slice(0, end);
      text = text.slice(end);
      if (searched.length <= longestPayload) return;
      isTooLong = true;
      searched = '';
    },
    end() {
      take(searched + text);
      searched = '';
      text = '';
    },
  };
}

/** The header that carries a key: none for an empty one, and null for a text that no header can carry. */
export function headerOf(key) {
  if (key === '') return {};
  // The characters of a bearer key (RFC 6750, section 2.1), and all others that a header can carry.
  return /^[\x21-\x7e]+$/.test(key) ? { authorization: `Bearer ${key}` } : null;
}

/** Sends JSON to this gateway. */
export function post(path, body, { headers, signal } = {}) {
  const type = { 'content-type': 'application/json' };
  return fetch(path, { method: 'POST', headers: { ...type, ...headers }, body: JSON.stringify(body), signal });
}

/** Sends an operation, and hands each payload of its answer to `use`: one of JSON, any number of a stream. Returns the status. */
export async function ask(query, use, { headers, signal } = {}) {
  const accept = /^\s*subscription\b/.test(query) ? 'text/event-stream' : 'application/json';
  const response = await post('/graphql', { query }, { headers: { accept, ...headers }, signal });
  const payloads = readPayloads(response.headers.get('content-type') ?? '', use);
  const reader = response.body.getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) payloads.push(piece.value);
  payloads.end();
  return response.status;
}

/** What the embedded sandbox offers; null where the gateway has none. */
export async function readSandbox() {
  const response = await fetch('/sandbox', { headers: { accept: 'application/json' } }).catch(() => null);
  return response?.ok ? response.json() : null;
}

/** Makes a delivery for the account of a key; returns a sentence that says what came of it. */
export async function makeDelivery(key, order) {
  try {
    const response = await post('/sandbox/deliveries', order, { headers: headerOf(key) ?? {} });
    const { data, errors } = await response.json();
    return data === undefined ? errors[0].message : `Made the delivery ${data.id} (${data.status}).`;
  } catch {
    return 'The gateway did not answer. Try again.';
  }
}

/**
 * Offers accounts and faults beside a field for the key, which they write: the two lists of `place`, which are empty. Whatever is typed
 * in the field chooses them. `whenWritten` runs behind each choice.
 */
export async function offerKeys(place, field, whenWritten = () => {}) {
  const sandbox = await readSandbox();
  if (sandbox === null) return;
  const [account, fault] = place.querySelectorAll('select');
  const accounts = sandbox.accounts.map(({ name }) => name);
  account.append(...accounts.map((name) => new Option(`${name} account`, name)));
  fault.append(
    new Option('no fault', ''),
    ...sandbox.faults.map(({ name, does, code }) => new Option(`${name}: ${code ?? does.replaceAll('`', '')}`, name)),
  );
  const choose = () => {
    const parts = field.value.split('+').map((part) => part.replace(/=.*/, ''));
    account.value = parts.find((part) => accounts.includes(part)) ?? accounts[0];
    fault.value = parts.find((part) => sandbox.faults.some(({ name }) => name === part)) ?? '';
  };
  const write = () => {
    const parts = [account.value === accounts[0] ? '' : account.value, fault.value].filter((part) => part !== '');
    field.value = parts.join('+') || 'sandbox-key';
    field.dispatchEvent(new Event('input'));
    whenWritten();
  };
  for (const select of [account, fault]) {
    select.disabled = false;
    select.addEventListener('change', write);
  }
  field.addEventListener('input', choose);
  choose();
}
