import { readList } from '../answer.ts';
import type { ListOperation } from '../operation.ts';

/** An AI mission; `metadata` is free-form. REST contract, 'Mission'. */
export interface MissionRecord {
  readonly mission_id?: string | null;
  readonly name?: string | null;
  readonly created_at?: string | null;
  readonly updated_at?: string | null;
  readonly description?: string | null;
  readonly model?: string | null;
  readonly instructions?: string | null;
  readonly metadata?: Readonly<Record<string, unknown>> | null;
}

/** REST contract, "GET /ai/missions". */
export const listMissions: ListOperation<MissionRecord> = {
  name: 'GET /ai/missions',
  path: '/ai/missions',
  accept: 'application/json',
  pageLimit: 1000,
  parameters: [],
  read: readList,
};
