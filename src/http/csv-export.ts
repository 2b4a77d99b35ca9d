import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { checkReportDates, type ReportDates } from '../billing/date-interval.ts';
import { badArgument, gatewayErrorsOf } from '../errors.ts';
import { isCalendarDate } from '../moment.ts';
import type { Request } from './request/request.ts';
import { type ChooseCoding, createCompressor } from './response/compression.ts';

/** A report whose body is still coming. */
export interface Report {
  readonly body: Readable;
  /** Returns the failure that an error of the body stands for. */
  readonly failureOf: (error: unknown) => unknown;
}

/** Requests the CSV report from the upstream. Rejects with the same errors as the field `chargesBreakdownCsv`. */
export type OpenReport = (dates: ReportDates, request: Request) => Promise<Report>;

/**
 * Streams the CSV report at the pace of its reader, with only a few buffers in memory. A client that leaves ends the upstream
 * call. A report that breaks off cuts the response off, so that nobody takes the half for the whole. Rejects where something
 * fails before the first byte.
 */
export async function sendReport(request: Request, open: OpenReport, chooseCoding: ChooseCoding): Promise<void> {
  const { req, res, url } = request;
  const dates = datesOf(url.searchParams);
  const { body, failureOf } = await open(dates, request);
  // Noted at once: the log line is written as soon as the response has been cut off.
  body.once('error', (error) => {
    if (request.signal.aborted) return;
    request.noteErrors(gatewayErrorsOf(failureOf(error)).map(({ code }) => code));
  });
  const coding = chooseCoding(req);
  res.writeHead(200, {
    ...(coding !== null && { 'content-encoding': coding }),
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': `attachment; filename="${fileNameOf(dates)}"`,
  });
  if (request.isHead) {
    res.end();
    body.destroy();
    return;
  }
  // The compressor may hold all that there is when the report breaks off, and the client has to see that it had begun.
  if (coding !== null) res.flushHeaders();
  // `pipeline` has cut the response off, which is how the client learns of the failure.
  const through = coding === null ? [] : [createCompressor[coding]()];
  await pipeline([body, ...through, res]).catch(() => {});
}

/** Names the file by its period, so that files of several periods can lie in one folder. */
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
