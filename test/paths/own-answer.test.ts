import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, test, type Gateway } from '../support/gateway.ts';
import { connectTo } from '../support/http.ts';
import { missionRecord } from '../support/records.ts';
import { pageReply, type Reply, type SeenRequest } from '../support/scripted-upstream.ts';

// Four times as long as what the upstream sends.
const query = '{ missions(first: 9) { nodes { a: name b: name c: name d: name } } }';
const body = JSON.stringify({ query });
const head = 'POST /graphql HTTP/1.1\r\nhost: gateway\r\ncontent-type: application/json\r\nauthorization: Bearer ';
// The kernel takes some megabytes for a connection that nobody reads; what is longer waits in the gateway's memory.
const letters = 250_000;

/** Rows of nothing but the letter at the end of their caller's key. */
function ownRows(request: SeenRequest): Reply {
  const name = String(request.headers['authorization']).slice(-1).repeat(letters);
  return pageReply(
    Array.from({ length: 9 }, () => missionRecord({ name })),
    request,
  );
}

/** Asks without reading anything; the connection ends with the response. */
function askUnread(gateway: Gateway, letter: string): Socket {
  const socket = connectTo(gateway).pause();
  socket.write(`${head}key-of-${letter}\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`);
  return socket;
}

/** Those of all letters that an answer has long texts of. */
function lettersIn(answer: Buffer): string {
  return Array.from('STUGABCD')
    .filter((letter) => answer.includes(letter.repeat(500)))
    .join('');
}

test('a large answer stays whole while its reader waits', async ({ upstream, gateway }) => {
  upstream.script(ownRows);
  await gateway.query(query);
  const slow = ['S', 'T', 'U'].map((letter) => ({ letter, socket: askUnread(gateway, letter) }));
  const gone = askUnread(gateway, 'G');
  // The answers of these are there before anything of the others is read.
  for (const letter of ['A', 'B', 'C', 'D']) {
    const { text } = await gateway.query(query, { key: `key-of-${letter}` });
    expect(lettersIn(Buffer.from(text))).toBe(letter);
  }
  gone.destroy();
  for (const { letter, socket } of slow) {
    const answers = await buffer(socket);
    expect(lettersIn(answers)).toBe(letter);
    expect(answers.length).toBeGreaterThan(4 * 9 * letters);
  }
});
