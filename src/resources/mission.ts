import { wireField } from '../graphql/schema/wire-fields.ts';
import type { ListEndpoint } from '../upstream/endpoint.ts';
import { exactListReader, readList } from '../upstream/response/body-reader.ts';
import { entityOf, type Resource } from './resource.ts';

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
const listMissions: ListEndpoint<MissionRecord> = {
  name: 'GET /ai/missions',
  coordinate: 'Query.missions',
  path: '/ai/missions',
  accept: 'application/json',
  pageLimit: 1000,
  idName: 'mission_id',
  timeName: 'created_at',
  timeOrder: () => 0,
  parameters: [],
  read: readList,
  readExactly: exactListReader('metadata'),
  freeForm: 'metadata',
};

/** A mission by its identifier: its list has no filter that could help. */
export const mission = entityOf('Mission', listMissions, ['mission_id']);

export const resource = {
  entity: mission,
  fields: { Mission: { id: wireField<string>('mission_id') } },
} satisfies Resource;
