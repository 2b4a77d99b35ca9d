import type { MissionRecord } from '../generated/records.ts';
import type { ListEndpoint } from '../upstream/endpoint.ts';
import { readList } from '../upstream/response/envelope.ts';
import { entityOf, type Resource } from './resource.ts';

/** REST contract, "GET /ai/missions". */
const listMissions: ListEndpoint<MissionRecord> = {
  name: 'GET /ai/missions',
  coordinate: 'Query.missions',
  path: '/ai/missions',
  accept: 'application/json',
  pageLimit: 1000,
  idName: 'mission_id',
  timeName: 'created_at',
  parameters: [],
  read: readList,
  freeForm: 'metadata',
};

/** A mission by its identifier: its list has no filter that could help. */
export const mission = entityOf('Mission', listMissions, ['mission_id']);

export const resource = { entity: mission, fields: {} } satisfies Resource;
