import { createServer, type AddressInfo, type Socket } from 'node:net';
import { csvBlock } from './bodies.ts';
import { targetOf } from './targets.ts';

// An upstream that costs next to nothing: it reads only the target of a request, and sends whole responses from memory.
// GET /count returns how many calls came since the last count.
const hugeBytes = 200 * 1_048_576;
let calls = 0;

function sendCount(socket: Socket): void {
  const text = String(calls);
  calls = 0;
  socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`);
}

/** Sends the huge report at the pace of its reader. */
function sendHuge(socket: Socket): void {
  const blocks = Math.ceil(hugeBytes / csvBlock.length);
  socket.write(`HTTP/1.1 200 OK\r\ncontent-type: text/csv\r\ncontent-length: ${blocks * csvBlock.length}\r\n\r\n`);
  let left = blocks;
  const produce = (): void => {
    while (left > 0 && !socket.destroyed) {
      left--;
      if (!socket.write(csvBlock)) return;
    }
    socket.off('drain', produce);
  };
  socket.on('drain', produce);
  produce();
}

function reply(socket: Socket, head: string): void {
  const start = head.indexOf(' ') + 1;
  const asked = head.slice(start, head.indexOf(' ', start));
  if (asked === '/count') return sendCount(socket);
  const target = targetOf(asked);
  if (target.isCounted) calls++;
  if (target.isHuge) return sendHuge(socket);
  // Some clients do not keep their connections.
  const isLast = /\r\nconnection: close/i.test(head);
  const send = (): void => void (isLast ? socket.end(target.answer) : socket.write(target.answer));
  if (target.delayMs === 0) return send();
  setTimeout(send, target.delayMs);
}

const server = createServer({ noDelay: true }, (socket) => {
  let unread = '';
  socket.setEncoding('latin1');
  socket.on('data', (chunk: string) => {
    unread += chunk;
    for (;;) {
      const end = unread.indexOf('\r\n\r\n');
      if (end === -1) return;
      const head = unread.slice(0, end);
      unread = unread.slice(end + 4);
      reply(socket, head);
    }
  });
  // A client that leaves is no failure.
  socket.on('error', () => socket.destroy());
});

server.listen(0, '127.0.0.1', () => {
  console.log(`Upstream listens on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
