import { useMemo, useState } from 'react';
import { failuresAt, sortOut } from '../gateway/failure.ts';
import { useRead } from '../gateway/read.ts';
import { ChargesHistoryDocument } from '../generated/documents.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { Loading } from '../parts/section.tsx';
import { monthsBefore, today } from '../values/day.ts';
import { monthOrPart } from '../values/wording.ts';
import { HistoryChart } from './history-chart.tsx';
import { byWeight, type Month } from './history-series.ts';
import { HistoryTable } from './history-table.tsx';
import { PeriodForm, periodArguments } from './period-form.tsx';

/** Charges by service over months. Months that could not be read are named, and the others drawn. */
export function History() {
  const [period, setPeriod] = useState(() => monthsBefore(today(), 6));
  const [draft, setDraft] = useState(period);
  const { data, failures, isLoading, retry } = useRead(ChargesHistoryDocument, period);
  const { ofFields, ofSection } = sortOut(failuresAt(failures, 'chargesHistoryByService'), periodArguments);
  const { months = [], services = null, currency = null } = data?.chargesHistoryByService ?? {};
  const series = useMemo(() => byWeight(services ?? []), [services]);
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
      <FailureNotice what={unreadOf(months)} failures={ofSection} onRetry={retry} />
      {data === null && isLoading && <Loading />}
      {services !== null && (
        <>
          <HistoryChart months={months} series={series} currency={currency} />
          <details>
            <summary>Figures of all {series.length} services</summary>
            <HistoryTable months={months} series={series} currency={currency} />
          </details>
        </>
      )}
    </div>
  );
}

/** What of the history could not be read, where something could not. */
function unreadOf(months: readonly Month[]): string {
  const unread = months.filter(({ summary }) => summary === null).map(monthOrPart);
  if (months.length === 0) return 'The history';
  if (unread.length === 0) return 'Part of the history';
  return unread.length === months.length ? `All months from ${unread[0]} to ${unread.at(-1)}` : unread.join(', ');
}
