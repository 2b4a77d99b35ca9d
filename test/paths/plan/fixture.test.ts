import { parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { createSchema } from '../../../src/resources/schema.ts';
import { readTypeDefs } from '../../../src/graphql/schema/type-defs.ts';
import { healthyReply } from '../../support/root-fields.ts';
import { failures } from './fixtures/failure.ts';
import { names } from './fixtures/name.ts';
import { selections } from './fixtures/selection.ts';
import { values } from './fixtures/value.ts';
import { variables } from './fixtures/variable.ts';
import { createTwoWays, inAnyOrder, type Question } from './two-ways.ts';
import { answerOf, seenOf, type World } from './world.ts';

const schema = createSchema(readTypeDefs());
const { compiled, general } = createTwoWays(schema);

test.for([...names, ...selections, ...variables, ...values, ...failures])(
  'has one answer by its plan and by graphql-js: $name',
  async ({ query, operationName, variables: given, replies = {}, key, took, data }) => {
    const document = parse(query);
    expect(validate(schema, document)).toEqual([]);
    const world: World = {
      answer(path) {
        const request = seenOf(path);
        return answerOf((replies[request.path] ?? healthyReply)(request) as ReturnType<typeof healthyReply>);
      },
    };
    for (const exposeSecrets of [false, true]) {
      const question: Question = {
        document,
        operationName: operationName ?? null,
        variables: given ?? null,
        world,
        exposeSecrets,
        ...(key === null && { key }),
      };
      const expected = inAnyOrder(await general(question));
      if (data !== undefined) expect(expected.data).toBe(data);
      // A plan answers the second time as it does the first.
      for (let times = 0; times < 2; times++) {
        const { took: taken, ...told } = await compiled(question);
        expect(inAnyOrder(told)).toEqual(expected);
        expect(taken).toBe(took);
      }
    }
  },
);
