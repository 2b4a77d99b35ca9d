import { readdirSync, readFileSync } from 'node:fs';
import { makeExecutableSchema } from '@graphql-tools/schema';
import type { GraphQLSchema } from 'graphql';
import { checkArguments } from './arguments.ts';
import { resolvers } from './resolvers/resolvers.ts';
import { readFromRecords } from './wire.ts';

const folder = new URL('../../schema/', import.meta.url);

/** The SDL as it is written in `schema/`, one file after another in the order of their names. */
export function readTypeDefs(): string {
  const files = readdirSync(folder).filter((name) => name.endsWith('.graphql'));
  return files
    .sort()
    .map((name) => readFileSync(new URL(name, folder), 'utf8'))
    .join('\n');
}

/** The executable schema: resolvers where they were written, records for every other field, dates checked at their fields. */
export function createSchema(): GraphQLSchema {
  const schema = makeExecutableSchema({ typeDefs: readTypeDefs(), resolvers });
  readFromRecords(schema);
  checkArguments(schema);
  return schema;
}
