/**
 * Reads Server-Sent Events: the data of each event that has any, until one named `complete`. Only CRLF, LF and CR end a line; a body
 * that ends without an empty line ends its last event unread, as the standard has it.
 */
export async function* readEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let text = '';
  let data: string[] = [];
  let name = '';
  for await (const chunk of chunks) {
    text += decoder.decode(chunk, { stream: true });
    // A CR at the end may be the first half of a CRLF.
    const lines = text.split(/\r\n|\n|\r(?!$)/);
    text = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith('event:')) name = line.slice(6).trim();
      if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
      if (line !== '') continue;
      if (name === 'complete') return;
      if (data.some((each) => each !== '')) yield data.join('\n');
      data = [];
      name = '';
    }
  }
}
