import { createServer, type AddressInfo, type Socket } from 'node:net';
import { chargesBreakdown, chargesSummary } from './charge-records.ts';
import { ipConnection, mission, webhookDelivery } from './noun-records.ts';

// An API that costs next to nothing: it reads only the target of a request, and sends whole responses from memory.
// GET /count returns how many calls came since the last count.
const lengthOfLists = 5_000;
let calls = 0;

/** A whole HTTP response as it goes over the wire. */
function response(value: unknown, status = '200 OK'): Buffer {
  const body = Buffer.from(JSON.stringify(value));
  const head = `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

function page(row: (index: number) => unknown, size: number): Buffer {
  return response({
    data: Array.from({ length: size }, (_, index) => row(index)),
    meta: {
      total_pages: Math.ceil(lengthOfLists / size),
      total_results: lengthOfLists,
      page_number: 1,
      page_size: size,
    },
  });
}

const lists = { '/ip_connections': ipConnection, '/ai/missions': mission, '/webhook_deliveries': webhookDelivery };

/** All responses, by path and size of a page. */
const responses: ReadonlyMap<string, Buffer> = new Map([
  ...Object.entries(lists).flatMap(([path, row]) =>
    [20, 50, 250].map((size) => [`${path} ${size}`, page(row, size)] as const),
  ),
  ['/charges_summary null', response({ data: chargesSummary() })],
  ['/charges_breakdown null', response({ data: chargesBreakdown(50) })],
]);
const notPrepared = response({ errors: [{ code: '404', title: 'Not prepared' }] }, '404 Not Found');

// A target that is asked again and again is parsed once.
const known = new Map<string, Buffer>();

function responseTo(target: string): Buffer {
  let found = known.get(target);
  if (found === undefined) {
    const { pathname, searchParams } = new URL(target, 'http://upstream.invalid');
    found = responses.get(`${pathname.replace(/^\/v2/, '')} ${searchParams.get('page[size]')}`) ?? notPrepared;
    known.set(target, found);
  }
  return found;
}

function reply(socket: Socket, head: string): void {
  const start = head.indexOf(' ') + 1;
  const target = head.slice(start, head.indexOf(' ', start));
  if (target === '/count') {
    socket.write(response(calls));
    calls = 0;
    return;
  }
  calls++;
  // Some clients do not keep their connections.
  if (/\r\nconnection: close/i.test(head)) socket.end(responseTo(target));
  else socket.write(responseTo(target));
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
