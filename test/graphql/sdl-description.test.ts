import { buildClientSchema, getIntrospectionQuery, parse, validate } from 'graphql';
import { printSubgraphSchema, readTypeDefs } from '../../src/graphql/schema/type-defs.ts';
import { expect, test } from '../support/gateway.ts';

const asked = getIntrospectionQuery({ schemaDescription: true, inputValueDeprecation: true });

test('the schema says what it is, by introspection, in the SDL and to a supergraph', async ({ gateway, upstream }) => {
  const { data, errors } = await gateway.query(asked, { key: null });
  expect(errors).toEqual([]);
  const { description } = data['__schema'];
  expect(description).toMatch(/^Switchboard: /);
  const sdl = await (await gateway.fetch('/schema.graphql')).text();
  expect(sdl).toContain(`"""\n${description}\n"""\nschema {`);
  expect(printSubgraphSchema(readTypeDefs())).toContain(description);
  expect(upstream.requests).toEqual([]);
  // The query that it gives as its example can be run.
  const [, example = ''] = /`(\{ charges[^`]*)`/.exec(description) ?? [];
  expect(validate(buildClientSchema(data), parse(example))).toEqual([]);
});

test('the deprecated filter of the profile names the one to use', async ({ gateway }) => {
  const { data } = await gateway.query(asked, { key: null });
  const { inputFields } = data['__schema'].types.find(({ name }: { name: string }) => name === 'IpConnectionFilter');
  const deprecated = inputFields.filter(({ isDeprecated }: { isDeprecated: boolean }) => isDeprecated);
  expect(deprecated).toMatchObject([
    {
      name: 'outboundVoiceProfileId',
      deprecationReason: expect.stringContaining('outbound: { outboundVoiceProfileId'),
    },
  ]);
});
