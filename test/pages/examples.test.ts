import { readdirSync, readFileSync } from 'node:fs';
import { expect, testOfSandbox } from '../support/gateway.ts';

const folder = new URL('../../explorer/examples/', import.meta.url);
const examples = readdirSync(folder)
  .flatMap((file) => readFileSync(new URL(file, folder), 'utf8').split(/\n\n(?=#)/))
  .map((text) => [/^(?:query|subscription) (\w+)/m.exec(text)?.[1] ?? '', text] as const)
  .filter(([name]) => !['LiveDeliveries', 'Pieces'].includes(name));

const test = testOfSandbox();

test.for(examples)('the example %s of GraphiQL has the answer that it should', async ([name, text], { gateway }) => {
  const { data, errors } = await gateway.query(text, { key: 'sandbox-key' });
  const refused = name === 'Error' ? [[['chargesSummary'], 'BAD_USER_INPUT']] : [];
  expect(errors.map(({ path, extensions }) => [path, extensions.code])).toEqual(refused);
  expect(Object.values(data).filter((value) => value === null)).toHaveLength(refused.length);
});
