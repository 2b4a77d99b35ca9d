import { GraphQLID } from 'graphql';
import type { MissionResolvers, QueryResolvers } from '../../generated/schema.ts';
import { listMissions } from '../../upstream/operations/mission.ts';
import type { Context } from '../context.ts';
import { fieldReader } from '../wire.ts';
import { loadConnection } from './connection.ts';

export const missions: QueryResolvers<Context>['missions'] = (_root, args, context, info) =>
  loadConnection(listMissions, args, context, info);

export const mission: Pick<MissionResolvers<Context>, 'id'> = {
  id: fieldReader<string>('mission_id', GraphQLID),
};
