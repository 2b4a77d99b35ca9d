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

const events = {
  separator: /\r?\n\r?\n/,
  start: '',
  textOf: (piece) => [...piece.matchAll(/^data:(.*)$/gm)].map(([, line]) => line).join('\n'),
  isLast: (piece) => /^event: ?complete\r?$/m.test(piece),
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

// A field, quoted or plain, and what ends it. A quote that is never closed goes to the end of the text.
const csvField = /(?:"([^"]*(?:""[^"]*)*)"?)?([^,\r\n]*)(,|\r\n|[\r\n]|$)/y;

/**
 * Reads CSV text (RFC 4180). Returns the first rows, at most `most`, and the count of all. Lines end with CRLF, LF or CR, and the last
 * one may end or not; a line without a character is a row of one empty field.
 */
export function parseCsv(text, most) {
  const rows = [];
  let count = 0;
  csvField.lastIndex = text.startsWith('\uFEFF') ? 1 : 0;
  while (csvField.lastIndex < text.length) {
    const fields = [];
    let end;
    do {
      let quoted, plain;
      [, quoted = '', plain, end] = csvField.exec(text);
      fields.push(quoted.replaceAll('""', '"') + plain);
    } while (end === ',');
    if (count++ < most) rows.push(fields);
  }
  return { rows, count };
}
