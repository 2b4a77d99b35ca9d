import { failuresAt, sortOut } from '../gateway/failure.ts';
import { useRead } from '../gateway/read.ts';
import { ChargesHistoryDocument } from '../generated/documents.ts';
import { Empty } from '../parts/empty.tsx';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { OldFigures } from '../parts/old-figures.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { monthsBefore, today } from '../values/day.ts';
import { presetsOf } from '../values/presets.ts';
import { monthOrPart } from '../values/wording.ts';
import { useAddressPeriod } from './address-period.ts';
import { HistoryChart } from './history-chart.tsx';
import { seriesOf, type Month } from './history-series.ts';
import { HistoryTable } from './history-table.tsx';
import { PeriodForm, periodLabels } from './period-form.tsx';

const field = 'chargesHistoryByService';

/** Charges by service over months. Months that could not be read are named, and the others drawn. */
export function History() {
  const { period, draft, setDraft, send } = useAddressPeriod('history', monthsBefore(today(), 6));
  const { data, old, failures, isLoading, retry } = useRead(ChargesHistoryDocument, period);
  const { ofFields, ofSection } = sortOut(failuresAt(failures, field), Object.keys(periodLabels));
  const { months = [], services = null, others = null, currency = null } = data?.[field] ?? {};
  const all = data?.figures?.services ?? [];
  const isOld = old.includes(field);
  return (
    <div className="block" aria-busy={isLoading}>
      <h3>Over the months</h3>
      <PeriodForm
        label="Period of the history"
        draft={draft}
        period={period}
        presets={presetsOf(today())}
        hint="At most 24 months"
        failures={ofFields}
        onDraft={setDraft}
        onSend={(next) => send(next) || retry()}
      />
      <FailureNotice
        what={isOld ? 'The history' : unreadOf(months)}
        failures={ofSection}
        isOld={isOld}
        onRetry={retry}
      />
      <OldFigures isShown={isOld && ofFields.length > 0} />
      {data === null && isLoading && <Skeleton rows={1} isChart />}
      {services !== null && services.length === 0 && (
        <Empty title="Nothing was charged in these months.">
          Choose other dates above, such as the last 12 months.
        </Empty>
      )}
      {services !== null && services.length > 0 && (
        <>
          <HistoryChart months={months} series={seriesOf({ services, others }, all.length)} currency={currency} />
          <details>
            <summary>Figures of all {all.length} services</summary>
            <HistoryTable months={months} series={all} currency={currency} />
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
