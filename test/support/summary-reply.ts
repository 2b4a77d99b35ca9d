import { chargesSummaryRecord } from './records.ts';
import type { Reply, SeenRequest } from './scripted-upstream.ts';

/** A summary of the requested period. */
export const summaryReply = ({ query }: SeenRequest): Reply => ({
  json: { data: chargesSummaryRecord({ start_date: query['start_date'], end_date: query['end_date'] }) },
});
