import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import type { Manifest } from './manifest.ts';

// The Compose specification has no package of its own; this linter's releases carry its schema.
const file = new URL('schemas/compose.schema.json', import.meta.resolve('dclint/package.json'));
// Ajv knows the draft that the schema names by another address.
const { $schema: _draft, ...schema } = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, unknown>>;
const validate = new Ajv({ strict: false, allErrors: true }).compile(schema);

/** What the schema of the Compose specification finds wrong with a file: values of a wrong type, members that are missing or unknown. */
export function composeFaultsOf(compose: Manifest): readonly string[] {
  if (validate(compose)) return [];
  return (validate.errors ?? []).map(({ instancePath, keyword }) => `${instancePath}: ${keyword}`);
}
