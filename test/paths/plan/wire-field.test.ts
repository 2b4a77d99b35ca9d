import { readdirSync, readFileSync } from 'node:fs';
import { isObjectType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { createSchema } from '../../../src/resources/schema.ts';
import { readTypeDefs } from '../../../src/graphql/schema/type-defs.ts';
import { wireFieldOf } from '../../../src/graphql/schema/wire-fields.ts';

describe('a field that only reads its record', () => {
  const schema = createSchema(readTypeDefs());

  test.for([
    ['Mission', 'id', 'mission_id'],
    ['Mission', 'name', 'name'],
    ['IpConnectionInbound', 'timeout1xxSecs', 'timeout_1xx_secs'],
    ['IpConnectionInbound', 'timeout2xxSecs', 'timeout_2xx_secs'],
  ] as const)('%s.%s is read in place by plans, as %s', ([typeName, fieldName, wireName]) => {
    const type = schema.getType(typeName);
    const field = isObjectType(type) ? type.getFields()[fieldName] : undefined;
    expect(wireFieldOf(field?.resolve ?? {})).toEqual({ name: wireName, type: field?.type });
  });
});

test('the SDL is Latin-1, so that V8 keeps field names and responses at one byte a character', () => {
  const folder = new URL('../../../schema/', import.meta.url);
  const wide = readdirSync(folder).filter((name) => /[^\0-\u{FF}]/u.test(readFileSync(new URL(name, folder), 'utf8')));
  expect(wide).toEqual([]);
});
