import type { AppConfig } from '../config.ts';
import { violationsOf } from '../errors.ts';
import { Deadlines } from '../http/request/deadline.ts';
import type { OpenReport } from '../http/report-export.ts';
import { callerOf } from '../request-context.ts';
import type { CountViolation } from '../telemetry/violation-counter.ts';
import { createCall } from '../upstream/call.ts';
import { getChargesBreakdownCsv } from '../resources/charges-breakdown.ts';
import type { Upstream } from './upstream.ts';

/** Creates the function that opens the CSV report for a download. */
export function createReportOpener(
  config: AppConfig,
  { client, credentials }: Upstream,
  countViolation: CountViolation,
): OpenReport {
  const deadlines = new Deadlines(config.operationTimeoutMs);
  return async (dates, authorization, exchange) => {
    const waitLimits = deadlines.begin(exchange);
    const caller = callerOf(credentials.read(authorization), exchange, waitLimits, countViolation);
    try {
      const report = await client.stream(createCall(getChargesBreakdownCsv, { ...dates }), caller);
      // The deadline is for the beginning alone. A download takes as long as its reader does.
      waitLimits.lift();
      return report;
    } catch (error) {
      for (const violation of violationsOf(error)) caller.noteViolation?.(violation);
      throw error;
    }
  };
}
