import { createColumnHelper } from '@tanstack/react-table';
import type { DeliveryRowFragment } from '../generated/documents.ts';
import { features, type Columns } from '../parts/data-table.tsx';
import { Moment } from '../parts/moment.tsx';
import { Status } from '../parts/status.tsx';
import { count, duration, moment, nothing } from '../values/wording.ts';

const helper = createColumnHelper<typeof features, DeliveryRowFragment>();

/** The columns of the deliveries table: the title of a row, its two facts, and the rest. */
export const columns: Columns<DeliveryRowFragment> = helper.columns([
  helper.accessor(({ webhook }) => webhook?.eventType, {
    id: 'event',
    header: 'Event',
    cell: ({ getValue }) => <span className="name">{getValue() ?? nothing}</span>,
  }),
  helper.accessor('status', { header: 'Status', cell: ({ getValue }) => <Status state={getValue()} /> }),
  helper.accessor('startedAt', {
    header: 'Started (UTC)',
    cell: ({ getValue }) => <Moment>{moment(getValue())}</Moment>,
  }),
  helper.accessor('attemptCount', { header: 'Attempts', cell: ({ getValue }) => count(getValue()) }),
  helper.accessor(({ newestAttempt }) => newestAttempt?.http?.response?.status, {
    id: 'answer',
    header: 'Last answer',
    cell: ({ getValue }) => getValue() ?? 'none',
  }),
  helper.display({
    id: 'took',
    header: 'Took',
    cell: ({ row: { original } }) => <Moment>{duration(original.startedAt, original.finishedAt)}</Moment>,
  }),
  helper.accessor(({ newestAttempt }) => newestAttempt?.http?.request?.url, {
    id: 'address',
    header: 'Address',
    cell: ({ getValue }) => <span className="address">{getValue() ?? nothing}</span>,
  }),
]) as Columns<DeliveryRowFragment>;
