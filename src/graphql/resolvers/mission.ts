import type { MissionResolvers, QueryResolvers } from '../../generated/schema.ts';
import { listMissions } from '../../upstream/endpoints/mission.ts';
import { entities, nodeIdOf } from '../identity/node-id.ts';
import { wireField } from '../schema/wire-fields.ts';
import { loadConnection } from './connection.ts';

export const mission: QueryResolvers['mission'] = (_root, { id }, { lookUps }) =>
  lookUps.find(entities.Mission, { id, hint: null });

export const missions: QueryResolvers['missions'] = (_root, args, context, info) =>
  loadConnection(listMissions, args, context, info);

export const missionType: Pick<MissionResolvers, 'id' | 'nodeId'> = {
  nodeId: (record) => nodeIdOf(entities.Mission, record),
  id: wireField('mission_id'),
};
