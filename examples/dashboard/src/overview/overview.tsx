import type { ReactNode } from 'react';
import { failuresAt, type Failure } from '../gateway/failure.ts';
import { useRead } from '../gateway/read.ts';
import { OverviewDocument } from '../generated/documents.ts';
import { monthsBefore, today } from '../values/day.ts';
import { count, money, month } from '../values/wording.ts';

/** The figures on top, from one request: a field that fails costs its own figure alone. */
export function Overview() {
  const period = monthsBefore(today(), 1);
  const { data, failures, retry } = useRead(OverviewDocument, { ...period, since: `${period.startDate}T00:00:00Z` });
  const charges = data?.chargesSummary;
  const figure = (label: string, field: string, value: ReactNode) => (
    <Figure label={label} isLoading={data === null} failures={failuresAt(failures, field)} onRetry={retry}>
      {value}
    </Figure>
  );
  return (
    <section aria-label="Overview">
      <dl className="figures">
        {figure(
          `Charges, ${month(period.startDate)}`,
          'chargesSummary',
          charges == null ? null : money(charges.total.grandTotal, charges.currency),
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
  readonly failures: readonly Failure[];
  readonly onRetry: () => void;
  readonly children: ReactNode;
}

function Figure({ label, isLoading, failures: [failure], onRetry, children }: FigureProps) {
  if (failure === undefined)
    return (
      <div className="figure">
        <dt>{label}</dt>
        <dd>{isLoading ? '…' : children}</dd>
      </div>
    );
  return (
    <div className="figure failed" role="alert">
      <dt>{label}</dt>
      <dd>
        <code className="code">{failure.code}</code>
        <span>{failure.message}</span>
        <button type="button" onClick={onRetry} aria-label={`Try again: ${label}`}>
          Try again
        </button>
      </dd>
    </div>
  );
}
