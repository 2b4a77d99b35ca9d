import { useState } from 'react';
import { sortOut, type Failure } from '../gateway/failure.ts';
import { useRead } from '../gateway/read.ts';
import { ChargesMonthDocument, type ChargesMonthQuery } from '../generated/documents.ts';
import { FailureNotice } from '../parts/failure-notice.tsx';
import { OldFigures } from '../parts/old-figures.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { monthsBefore, today } from '../values/day.ts';
import { presetsOf } from '../values/presets.ts';
import { day } from '../values/wording.ts';
import { useAddressPeriod } from './address-period.ts';
import { BreakdownDownload } from './breakdown-download.tsx';
import { LineTables } from './line-tables.tsx';
import { PeriodForm, periodLabels } from './period-form.tsx';
import { Totals } from './totals.tsx';

/** A month's bill, and its change from the period before, which comes along and may fail alone. */
export function Month() {
  const { period, draft, setDraft, send } = useAddressPeriod('bill', monthsBefore(today(), 1));
  const [download, setDownload] = useState<readonly Failure[]>([]);
  const { data, old, failures, isLoading, retry } = useRead(ChargesMonthDocument, period);
  // One failure of that period is told at each of these fields.
  const isOfPrevious = ({ path }: Failure): boolean =>
    ['previous', 'changes', 'previousAmount'].some((name) => path.includes(name));
  const ofPrevious = failures.filter(isOfPrevious).slice(0, 1);
  const ofMonth = failures.filter((failure) => !isOfPrevious(failure));
  const own = sortOut([...ofMonth, ...download], Object.keys(periodLabels));
  const month = data?.chargesSummary;
  const isOld = old.includes('chargesSummary');
  return (
    <div className="block" aria-busy={isLoading}>
      <h3>One month, and its change</h3>
      <PeriodForm
        label="Period of the bill"
        draft={draft}
        period={period}
        presets={presetsOf(today()).slice(0, 2)}
        hint="At most 31 days"
        failures={own.ofFields}
        onDraft={setDraft}
        onSend={(next) => {
          setDownload([]);
          if (!send(next)) retry();
        }}
      >
        <BreakdownDownload period={draft} onFailures={setDownload} />
      </PeriodForm>
      <FailureNotice
        what={month == null || isOld ? 'The bill' : 'Part of the bill'}
        failures={own.ofSection}
        isOld={isOld}
        onRetry={retry}
      />
      <OldFigures isShown={isOld && own.ofFields.length > 0} />
      {data === null && isLoading && <Skeleton rows={14} />}
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
          <LineTables lines={month.summary.lines} gone={goneOf(month)} currency={month.currency} />
        </>
      )}
    </div>
  );
}

/** The services of the period before that have no line any more. */
function goneOf({ changes, summary }: NonNullable<ChargesMonthQuery['chargesSummary']>): readonly string[] {
  const charged = new Set(summary.lines.map((line) => line?.alias));
  return (changes ?? []).filter(({ alias }) => !charged.has(alias)).map(({ name }) => name);
}
