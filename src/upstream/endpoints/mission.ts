import { readExactList, readExactObject, readList, readObject } from '../response/body-reader.ts';
import type { Entity, ListEndpoint } from '../endpoint.ts';

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
export const listMissions: ListEndpoint<MissionRecord> = {
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
  readExactly: readExactList,
};

/** A mission by its identifier: its list has no filter that could help. */
export const mission: Entity<MissionRecord> = {
  type: 'Mission',
  list: listMissions,
  retrieve: {
    name: 'GET /ai/missions/{id}',
    coordinate: 'Query.mission',
    path: '/ai/missions/{id}',
    accept: 'application/json',
    parameters: [],
    idNames: ['id', 'mission_id'],
    read: readObject,
    readExactly: readExactObject,
  },
  hintOf: () => null,
  narrow: () => null,
};
