import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { badArgument, gatewayErrorsOf } from '../errors.ts';
import { checkReportDates, type ReportDates } from '../graphql/billing/date-interval.ts';
import { isCalendarDate } from '../graphql/schema/leaf.ts';
import type { Exchange } from './request/exchange.ts';

/** A report on its way; `failureOf` tells what an error of its body means. */
export interface Report {
  readonly body: Readable;
  readonly failureOf: (error: unknown) => unknown;
}

/** Asks the upstream for the CSV report; throws what the field `chargesBreakdownCsv` would. */
export type OpenReport = (dates: ReportDates, authorization: string | undefined, exchange: Exchange) => Promise<Report>;

/**
 * Streams the CSV report through at the pace of its reader: only a few buffers of it are ever held. A client that leaves
 * ends the upstream call; a report that breaks off breaks the answer off, so that nobody takes the half for the whole.
 * Throws what went wrong before the first byte.
 */
export async function sendReport(
  { method, headers }: IncomingMessage,
  res: ServerResponse,
  query: URLSearchParams,
  exchange: Exchange,
  open: OpenReport,
): Promise<void> {
  const dates = datesOf(query);
  const { body, failureOf } = await open(dates, headers.authorization, exchange);
  // Noted as it happens: the log line is written as soon as the answer has been cut off.
  body.once('error', (error) => {
    if (exchange.signal.aborted) return;
    exchange.record.noteErrors(gatewayErrorsOf(failureOf(error)).map(({ code }) => code));
  });
  res.writeHead(200, {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${fileNameOf(dates)}"`,
  });
  if (method === 'HEAD') {
    res.end();
    body.destroy();
    return;
  }
  // The failure has been told by cutting the answer off; `pipeline` has destroyed both ends.
  await pipeline(body, res).catch(() => {});
}

/** One for each period, so that a folder of them tells which is which. */
function fileNameOf({ startDate, endDate }: ReportDates): string {
  return ['charges-breakdown', startDate, ...(endDate == null ? [] : [endDate])].join('-').concat('.csv');
}

function datesOf(query: URLSearchParams): ReportDates {
  const startDate = dateOf(query, 'startDate');
  if (startDate === null)
    throw badArgument(['startDate'], 'startDate is required: a calendar date such as 2026-10-01.');
  const dates = { startDate, endDate: dateOf(query, 'endDate') };
  checkReportDates(dates);
  return dates;
}

function dateOf(query: URLSearchParams, name: keyof ReportDates): string | null {
  const text = query.get(name) ?? '';
  if (text === '') return null;
  if (isCalendarDate(text)) return text;
  throw badArgument([name], `${name} must be a calendar date such as 2026-10-01.`);
}
