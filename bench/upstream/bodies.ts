import { chargesBreakdown, chargesBreakdownCsv, chargesSummary } from './charge-records.ts';
import { ipConnection, mission, webhookDelivery } from './noun-records.ts';

/** How many phone numbers the large and the small report have. */
export const numbers = { large: 20_000, small: 50 };

const lengthOfLists = 5_000;

/** A whole HTTP response as it goes over the wire. */
function answer(type: string, text: string, status = '200 OK'): Buffer {
  const body = Buffer.from(text);
  const head = `HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

const json = (value: unknown): Buffer => answer('application/json', JSON.stringify(value));
const csv = (text: string): Buffer => answer('text/csv', text);

function page(row: (index: number) => unknown, size: number): Buffer {
  return json({
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

/** All responses, by path and the part of the query that they depend on; made once, before anything is timed. */
export const answers: ReadonlyMap<string, Buffer> = new Map([
  ...Object.entries(lists).flatMap(([path, row]) =>
    [20, 50, 250].map((size) => [`${path} ${size}`, page(row, size)] as const),
  ),
  ['/charges_summary', json({ data: chargesSummary() })],
  ['/charges_breakdown json large', json({ data: chargesBreakdown(numbers.large) })],
  ['/charges_breakdown json small', json({ data: chargesBreakdown(numbers.small) })],
  ['/charges_breakdown csv large', csv(chargesBreakdownCsv(numbers.large))],
  ['/charges_breakdown csv small', csv(chargesBreakdownCsv(numbers.small))],
]);

/** Throws for a request that has no prepared response: the benchmark is at fault then. */
export const notPrepared = answer(
  'application/json',
  '{"errors":[{"code":"404","title":"Not prepared"}]}',
  '404 Not Found',
);

/** A part of the huge report that is streamed. */
export const csvBlock = Buffer.from(chargesBreakdownCsv(800));
