import type { ReactNode } from 'react';
import { failuresAt, isRefusal, type Failure } from '../gateway/failure.ts';
import { titleOf } from '../gateway/failure-wording.ts';
import { useRead } from '../gateway/read.ts';
import { OverviewDocument } from '../generated/documents.ts';
import { Skeleton } from '../parts/skeleton.tsx';
import { monthsBefore, today } from '../values/day.ts';
import { count, money, month, nothing } from '../values/wording.ts';

/** The figures on top, from one request: a field that fails costs its own figure alone. */
export function Overview() {
  const period = monthsBefore(today(), 1);
  const { data, old, failures, retry } = useRead(OverviewDocument, {
    ...period,
    since: `${period.startDate}T00:00:00Z`,
  });
  const charges = data?.chargesSummary;
  const forecast = data?.chargesForecast;
  const figure = (label: string, field: string, value: ReactNode) => (
    <Figure
      label={label}
      isLoading={data === null && failures.length === 0}
      isOld={old.includes(field)}
      failures={failuresAt(failures, field).filter((failure) => !isRefusal(failure))}
      onRetry={retry}
    >
      {value}
    </Figure>
  );
  return (
    <section aria-label="Overview">
      <dl className="figures">
        {figure(
          `Charges, ${month(period.startDate)}`,
          'chargesSummary',
          charges == null ? nothing : money(charges.total.grandTotal, charges.currency),
        )}
        {figure(
          `Expected, ${month(period.endDate)}`,
          'chargesForecast',
          forecast == null ? (
            nothing
          ) : (
            <>
              {money(forecast.expected, forecast.currency)}
              <small>
                {money(forecast.low, forecast.currency)} to {money(forecast.high, forecast.currency)} in six months
              </small>
            </>
          ),
        )}
        {figure('Connections', 'ipConnections', count(data?.ipConnections?.totalCount))}
        {figure(
          `Failed deliveries since ${month(period.startDate)}`,
          'webhookDeliveries',
          count(data?.webhookDeliveries?.totalCount),
        )}
        {figure('Missions', 'missions', count(data?.missions?.totalCount))}
      </dl>
    </section>
  );
}

interface FigureProps {
  readonly label: string;
  readonly isLoading: boolean;
  /** Whether it failed, and its value was read before. */
  readonly isOld: boolean;
  readonly failures: readonly Failure[];
  readonly onRetry: () => void;
  readonly children: ReactNode;
}

function Figure({ label, isLoading, isOld, failures: [failure], onRetry, children }: FigureProps) {
  if (failure === undefined)
    return (
      <div className="figure">
        <dt>{label}</dt>
        <dd>{isLoading ? <Skeleton rows={1} /> : children}</dd>
      </div>
    );
  return (
    <div className="figure failed">
      <dt>{label}</dt>
      <dd>
        <div role="alert">
          {isOld && (
            <>
              <span className="old-value">{children}</span>
              <small>Read before</small>
            </>
          )}
          <span className="code" data-code={failure.code}>
            {titleOf(failure.code)}
          </span>
          <span>{failure.message}</span>
          {failure.retryable && (
            <button type="button" onClick={onRetry} aria-label={`Try again: ${label}`}>
              Try again
            </button>
          )}
        </div>
      </dd>
    </div>
  );
}
