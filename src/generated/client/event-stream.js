/** One server-sent event; a sign of life, or an id alone, is one without data. */
                                  
                         
                               
                                       
                             
 

/** Characters of one event: what waits in a gateway for one caller has as many bytes, so none of its events is longer. */
const longestEvent = 16_777_216;

/**
 * The server-sent events of a response, as they come (HTML, "Server-sent events"). One that no empty line ends is none, and one that goes
 * on for ever is an Error. It is read here, since a page without a bundler, and the worker of a shared feed, find no package by its name.
 */
export async function* serverSentEvents(response          )                                  {
  let event = '';
  let data                = null;
  let id                = null;
  for await (const line of linesOf(response)) {
    if (line === '') {
      yield { event, data, id };
      [event, data, id] = ['', null, null];
      continue;
    }
    const [name, value] = fieldIn(line);
    if (name === 'event') event = value;
    else if (name === 'data') data = within(data === null ? value : `${data}\n${value}`);
    else if (name === 'id' && !value.includes('\0')) id = value;
  }
}

function within(text        )         {
  if (text.length > longestEvent) throw new Error(`An event of the stream has more than ${longestEvent} characters.`);
  return text;
}

/** The name of a field, empty for a comment, and its value. */
function fieldIn(line        )                            {
  const colon = line.indexOf(':');
  if (colon < 0) return [line, ''];
  return [line.slice(0, colon), line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)];
}

/** The lines of a body. `\r\n`, `\n` and `\r` end one, and no other character does. */
async function* linesOf(response          )                         {
  let begun = '';
  let mayBeHalf = false;
  for await (const text of textsOf(response)) {
    // The two characters of one end may come apart.
    const lines = (mayBeHalf && text.startsWith('\n') ? text.slice(1) : text).split(/\r\n|\n|\r/);
    mayBeHalf = text.endsWith('\r');
    lines[0] = begun + (lines[0] ?? '');
    begun = within(lines.pop() ?? '');
    yield* lines;
  }
}

/** What comes of a body in UTF-8, without the byte order mark that may stand at its beginning. None is empty. */
export async function* textsOf({ body }          )                         {
  if (body === null) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  try {
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
      const text = decoder.decode(value, { stream: true });
      if (text !== '') yield text;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
