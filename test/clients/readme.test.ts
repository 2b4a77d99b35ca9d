import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const readme = read('../../README.md');
const [, relay = '{}'] = /`relay\.config\.json`:\n\n```json\n([^`]*)```/.exec(readme) ?? [];

test.for(['apollo-cache.ts', 'urql-cache.ts', 'follow-deliveries.ts'])(
  'the README shows %s as it is run here',
  (file) => {
    expect(readme).toContain(`\`\`\`ts\n${read(file).replace('export const values', 'const values')}\`\`\``);
  },
);

test('the README shows the settings of Relay with which the sources here are compiled', () => {
  const { schemaConfig, customScalarTypes } = JSON.parse(relay);
  expect(JSON.parse(read('relay/relay.config.json'))).toMatchObject({ schemaConfig, customScalarTypes });
  expect(read('relay/environment.ts')).toContain('getDataID: ({ nodeId }) => nodeId');
  expect(readme).toContain('getDataID: ({ nodeId }) => nodeId');
});
