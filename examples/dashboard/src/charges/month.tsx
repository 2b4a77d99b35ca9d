import { useState } from 'react';
import { failuresAt, sortOut, type Failure } from '../gateway/failure.ts';
import { useRead } from '../gateway/read.ts';
import { ChargesMonthDocument } from '../generated/documents.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Loading } from '../parts/section.tsx';
import { monthEarlier, monthsBefore, today } from '../values/day.ts';
import { BreakdownDownload } from './breakdown-download.tsx';
import { LineTables } from './line-tables.tsx';
import { PeriodForm, periodArguments } from './period-form.tsx';
import { amountsByService } from './service-lines.ts';
import { Totals } from './totals.tsx';

/** A month's bill beside the one before, which is asked for by the same request and may fail alone. */
export function Month() {
  const [period, setPeriod] = useState(() => monthsBefore(today(), 1));
  const [draft, setDraft] = useState(period);
  const [download, setDownload] = useState<readonly Failure[]>([]);
  const { startDate: previousStart, endDate: previousEnd } = monthEarlier(period);
  const { data, failures, isLoading, retry } = useRead(ChargesMonthDocument, { ...period, previousStart, previousEnd });
  const own = sortOut([...failuresAt(failures, 'month'), ...download], periodArguments);
  // Where the month itself failed, its failure says all.
  const ofPrevious = failures.filter(({ path }) => path[0] === 'previous');
  const { month, previous } = data ?? {};
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
          <Totals month={month} previous={previous ?? null} />
          <LineTables
            lines={month.summary.lines}
            before={previous == null ? null : amountsByService(previous.summary.lines)}
            currency={month.currency}
          />
        </>
      )}
    </div>
  );
}
