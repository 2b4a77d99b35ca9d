import { useMemo, useState } from 'react';
import { failuresAt, sortOut } from '../gateway/failure.ts';
import { useRead } from '../gateway/read.ts';
import { ChargesHistoryDocument } from '../generated/documents.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Loading } from '../parts/section.tsx';
import { monthsBefore, today } from '../values/day.ts';
import { month } from '../values/wording.ts';
import { HistoryChart } from './history-chart.tsx';
import { monthsOf, seriesOf } from './history-series.ts';
import { HistoryTable } from './history-table.tsx';
import { PeriodForm, periodArguments } from './period-form.tsx';

/** Charges by service over months. Months that could not be read are named, and the others drawn. */
export function History() {
  const [period, setPeriod] = useState(() => monthsBefore(today(), 6));
  const [draft, setDraft] = useState(period);
  const { data, failures, isLoading, retry } = useRead(ChargesHistoryDocument, period);
  const { ofFields, ofSection } = sortOut(failuresAt(failures, 'chargesHistory'), periodArguments);
  const months = useMemo(() => monthsOf(data?.chargesHistory ?? []), [data]);
  const series = useMemo(() => seriesOf(months), [months]);
  const missing = months.filter(({ summary }) => summary === null).map(({ startDate }) => month(startDate));
  return (
    <div className="block" aria-busy={isLoading}>
      <h3>Over the months</h3>
      <PeriodForm
        label="Period of the history"
        draft={draft}
        hint="At most 24 months"
        failures={ofFields}
        onDraft={setDraft}
        onSend={() => setPeriod(draft)}
      />
      <FailureNotice
        what={missing.length === 0 ? 'The history' : missing.join(', ')}
        failures={ofSection}
        onRetry={retry}
      />
      {data === null && isLoading && <Loading />}
      {months.length > 0 && (
        <>
          <HistoryChart months={months} series={series} />
          <details>
            <summary>Figures of all {series.length} services</summary>
            <HistoryTable months={months} series={series} />
          </details>
        </>
      )}
    </div>
  );
}
