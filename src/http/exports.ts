import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { badArgument } from '../errors.ts';
import { checkReportDates, type ReportDates } from '../graphql/date-interval.ts';
import { isCalendarDate } from '../graphql/leaf.ts';
import type { Exchange } from './exchange.ts';
import { sendErrors } from './json-errors.ts';

/** Asks the upstream for the CSV report; throws what the field `chargesBreakdownCsv` would. */
export type OpenReport = (
  dates: ReportDates,
  authorization: string | undefined,
  exchange: Exchange,
) => Promise<Readable>;

/**
 * Streams the CSV report through at the pace of its reader: only a few buffers of it are ever held. A client that leaves
 * ends the upstream call; a report that breaks off breaks the answer off, so that nobody takes the half for the whole.
 */
export async function sendReport(
  res: ServerResponse,
  query: URLSearchParams,
  authorization: string | undefined,
  exchange: Exchange,
  open: OpenReport,
): Promise<void> {
  const report = await openOrAnswer();
  if (report === null) return;
  res.writeHead(200, {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="charges-breakdown.csv"',
  });
  // The failure has been told by cutting the answer off; `pipeline` has destroyed both ends.
  await pipeline(report, res).catch(() => exchange.errorCodes.push('UPSTREAM_UNAVAILABLE'));

  async function openOrAnswer(): Promise<Readable | null> {
    try {
      return await open(datesOf(query), authorization, exchange);
    } catch (error) {
      sendErrors(res, exchange, error);
      return null;
    }
  }
}

function datesOf(query: URLSearchParams): ReportDates {
  const dates = { startDate: dateOf(query, 'startDate') ?? '', endDate: dateOf(query, 'endDate') };
  if (dates.startDate === '')
    throw badArgument(['startDate'], 'startDate is required: a calendar date such as 2026-10-01.');
  checkReportDates(dates);
  return dates;
}

function dateOf(query: URLSearchParams, name: keyof ReportDates): string | null {
  const text = query.get(name) ?? '';
  if (text === '') return null;
  if (isCalendarDate(text)) return text;
  throw badArgument([name], `${name} must be a calendar date such as 2026-10-01.`);
}
