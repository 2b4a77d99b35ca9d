import { useState } from 'react';
import { sortOut, type Failure } from '../gateway/failure.ts';
import { useRead } from '../gateway/read.ts';
import { ChargesMonthDocument } from '../generated/documents.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Loading } from '../parts/section.tsx';
import { monthsBefore, today } from '../values/day.ts';
import { day } from '../values/wording.ts';
import { BreakdownDownload } from './breakdown-download.tsx';
import { LineTables } from './line-tables.tsx';
import { PeriodForm, periodArguments } from './period-form.tsx';
import { amountsByService } from './service-lines.ts';
import { Totals } from './totals.tsx';

/** A month's bill, and its change from the period before, which comes along and may fail alone. */
export function Month() {
  const [period, setPeriod] = useState(() => monthsBefore(today(), 1));
  const [draft, setDraft] = useState(period);
  const [download, setDownload] = useState<readonly Failure[]>([]);
  const { data, failures, isLoading, retry } = useRead(ChargesMonthDocument, period);
  const isOfPrevious = ({ path }: Failure): boolean => path[1] === 'previous';
  const ofPrevious = failures.filter(isOfPrevious);
  const ofMonth = failures.filter((failure) => !isOfPrevious(failure));
  const own = sortOut([...ofMonth, ...download], periodArguments);
  const month = data?.chargesSummary;
  return (
    <div className="block" aria-busy={isLoading}>
      <h3>One month, and its change</h3>
      <PeriodForm
        label="Period of the bill"
        draft={draft}
        hint="At most 31 days"
        failures={own.ofFields}
        onDraft={setDraft}
        onSend={() => {
          setDownload([]);
          setPeriod(draft);
        }}
      >
        <BreakdownDownload period={draft} onFailures={setDownload} />
      </PeriodForm>
      <FailureNotice what={month == null ? 'The bill' : 'Part of the bill'} failures={own.ofSection} onRetry={retry} />
      {data === null && isLoading && <Loading />}
      {month != null && (
        <>
          <FailureNotice what="The month before" failures={ofPrevious} onRetry={retry} />
          {month.previous !== null && (
            <p className="hint">
              Changes are against the period before, {day(month.previous.startDate)} to {day(month.previous.endDate)},
              exclusive.
            </p>
          )}
          <Totals month={month} />
          <LineTables
            lines={month.summary.lines}
            before={month.previous === null ? null : amountsByService(month.previous.summary.lines)}
            currency={month.currency}
          />
        </>
      )}
    </div>
  );
}
