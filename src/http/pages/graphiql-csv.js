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
