import { expect, test } from 'vitest';
import type { MissionResolvers, QueryResolvers } from '../../../src/generated/schema.ts';
import type { Context } from '../../../src/graphql/context.ts';
import { Run, type ResolvedField } from '../../../src/graphql/execution/plan/run.ts';

test('the info of a resolver has what a plan knows of its field, and to read more does not compile', () => {
  const field = { nodes: [] } as unknown as ResolvedField;
  const info = new Run([field], {}, {} as Context, {}).info(0);
  expect(Object.keys(info)).toEqual(['fieldNodes', 'fragments', 'variableValues']);

  // @ts-expect-error TS2339: where the field stands only graphql-js knows.
  const missions: QueryResolvers['missions'] = (_root, _args, _context, { path }) => Promise.reject(path);
  const missionType: Pick<MissionResolvers, 'nodeId'> = {
    // @ts-expect-error TS2339: nor has a plan a schema to tell of.
    nodeId: (_record, _args, _context, { schema }) => String(schema),
  };
  expect([missions, missionType.nodeId]).toEqual([expect.any(Function), expect.any(Function)]);
});
