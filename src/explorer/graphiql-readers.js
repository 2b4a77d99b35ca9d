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

/**
 * Where the pieces of a body stand: what separates them, what a body leaves out of its first separator, and the JSON text within a
 * piece; null where it has none.
 */
function piecesOf(mediaType) {
  if (mediaType.startsWith('text/event-stream'))
    return {
      start: '',
      separator: /\r?\n\r?\n/,
      textOf: (piece) => {
        const lines = piece.split(/\r?\n/).filter((line) => line.startsWith('data:'));
        return lines.map((line) => line.slice(5)).join('\n');
      },
      isLast: (piece) => /^event: ?complete\r?$/m.test(piece),
    };
  const boundary = /^multipart\/.*boundary="?([^";]+)/i.exec(mediaType)?.[1];
  if (boundary === undefined) return null;
  const escaped = boundary.replaceAll(/[^\w]/g, String.raw`\$&`);
  return {
    start: '\r\n',
    separator: new RegExp(`\r\n--${escaped}(?:--)?(?=\r\n|$)`),
    textOf: (piece) => piece.split('\r\n\r\n').slice(1).join('\r\n\r\n'),
  };
}

/**
 * Reads the payloads of a body as its bytes come, and hands each to `use`: null stands for one that cannot be read. `complete` is
 * called where a stream of events says that it is: its reader may leave the rest unread.
 */
export function readPayloads(mediaType, use, complete = () => {}) {
  const pieces = piecesOf(mediaType);
  const decoder = new TextDecoder();
  // What was searched for a separator, and holds none; and what is searched again with the bytes that come next.
  let searched = '';
  let text = pieces?.start ?? '';
  let isTooLong = false;

  function take(piece) {
    const json = (pieces === null ? piece : pieces.textOf(piece)).trim();
    if (isTooLong || piece.length > longestPayload) use(null);
    else if (json !== '') use(parsePayload(json));
    isTooLong = false;
    if (pieces?.isLast?.(piece)) complete();
  }

  function takeWhole() {
    const whole = text.split(pieces.separator);
    text = whole.pop();
    for (const piece of whole) {
      take(searched + piece);
      searched = '';
    }
  }

  return {
    push(bytes) {
      text += decoder.decode(bytes, { stream: true });
      if (pieces !== null) takeWhole();
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

/**
 * Reads CSV text (RFC 4180). Returns the first rows, at most `most`, and the count of all. Lines end with CRLF, LF or CR, and the last
 * one may end or not; a line without a character is a row of one empty field. A quote that is never closed goes to the end.
 */
export function parseCsv(text, most) {
  const rows = [];
  let count = 0;
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  while (at < text.length) {
    const isKept = count < most;
    const fields = [];
    let hasMore = true;
    while (hasMore) {
      const field = readField(text, at, isKept);
      if (isKept) fields.push(field.value);
      hasMore = text[field.end] === ',';
      at = field.end + 1;
    }
    // Both characters of a CRLF end one line.
    if (text[at - 1] === '\r' && text[at] === '\n') at++;
    count++;
    if (isKept) rows.push(fields);
  }
  return { rows, count };
}

const fieldEnd = /[,\r\n]/g;

/** Reads the field that begins at `at`; `end` is the place of what ends it. Its value is empty where it is not kept. */
function readField(text, at, isKept) {
  let value = '';
  let from = at;
  if (text[at] === '"') {
    from = at + 1;
    for (;;) {
      const quote = text.indexOf('"', from);
      const close = quote < 0 ? text.length : quote;
      const isDouble = text[close + 1] === '"';
      if (isKept) value += text.slice(from, isDouble ? close + 1 : close);
      from = close + (isDouble ? 2 : 1);
      if (!isDouble) break;
    }
  }
  fieldEnd.lastIndex = from;
  const end = from >= text.length ? text.length : (fieldEnd.exec(text)?.index ?? text.length);
  return { value: isKept ? value + text.slice(from, end) : '', end };
}
