import { MovingUpstream } from '../support/moving-upstream.ts';
import { chargesBreakdownRecord, chargesSummaryRecord } from '../support/records.ts';
import { pageReply, type Script, type SeenRequest } from '../support/scripted-upstream.ts';

/** An upstream with this many connections, all of them active. */
export function offices(size: number): MovingUpstream {
  return new MovingUpstream('/ip_connections', size, (index) => ({ connection_name: `Office ${index}`, active: true }));
}

/** The upstream calls, a line each. */
export function linesOf(requests: readonly SeenRequest[]): readonly string[] {
  return requests.map(({ path, rawQuery }) => `${path}?${decodeURIComponent(rawQuery)}`);
}

/** A period of billing. */
export const october = { startDate: '2026-10-01', endDate: '2026-11-01' };

/** The upstream calls for 45 connections in pages of 20: behind a cursor, the rows around the page come along. */
export const threePages: readonly string[] = [
  '/ip_connections?page[number]=1&page[size]=20',
  '/ip_connections?page[number]=1&page[size]=43',
  '/ip_connections?page[number]=2&page[size]=32',
];

/** The phone numbers of a report, and an upstream that sends it. */
export const numbers = ['+13125550101', '+13125550102', '+13125550103', '+13125550104', '+13125550105'];
export const reportingCharges: Script = () => ({
  json: { data: chargesBreakdownRecord({ results: numbers.map((tn) => ({ tn })) }) },
});

/** An upstream with charges, and without connections. */
export const answering: Script = (request) =>
  request.path === '/charges_summary' ? { json: { data: chargesSummaryRecord() } } : pageReply([], request);

const refusedEnd = {
  title: 'Bad Request',
  detail: 'The date range cannot exceed 31 days.',
  source: { parameter: 'end_date' },
};

/** An upstream that refuses the end of every billing period, and has three connections. */
export const refusingCharges: Script = (request) =>
  request.path === '/charges_summary'
    ? { status: 400, json: { errors: [{ code: '10015', ...refusedEnd }] } }
    : pageReply([{ id: 'a' }, { id: 'b' }, { id: 'c' }], request);

/** The error that clients get then, as much of it as they act upon. */
export const refusal = {
  message: refusedEnd.detail,
  path: ['chargesSummary'],
  extensions: { code: 'BAD_USER_INPUT', retryable: false, argument: ['endDate'] },
};
