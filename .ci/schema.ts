import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { CriticalityLevel, diff, type Change } from '@graphql-inspector/core';
import { buildSchema } from 'graphql';
import { printClientSchema, readTypeDefs } from '../src/graphql/schema/type-defs.ts';

// The printed schema is the contract with clients; it is committed so that its diff is read. `check` fails where it differs from
// the sources; `print` writes it anew, a breaking change only with `--acknowledge`.
const file = new URL('../src/generated/client-schema.graphql', import.meta.url);
const [task = 'check', ...flags] = process.argv.slice(2);
const printed = printClientSchema(readTypeDefs());
const committed = existsSync(file) ? readFileSync(file, 'utf8') : printed;
const changes = await diff(buildSchema(committed), buildSchema(printed));
const breaking = changes.filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking);
const isAcknowledged = flags.includes('--acknowledge');

function list(title: string, items: readonly Change[]): void {
  if (items.length > 0) console.log([title, ...items.map(({ message }) => `  - ${message}`)].join('\n'));
}

list('Breaking changes of the schema:', breaking);
list(
  'Other changes of the schema:',
  changes.filter((change) => !breaking.includes(change)),
);
if (breaking.length > 0 && !isAcknowledged) {
  console.log('Clients depend on what breaks. If it must be: npm run schema:print -- --acknowledge');
  process.exitCode = 1;
} else if (task === 'print') {
  writeFileSync(file, printed);
} else if (printed !== committed || !existsSync(file)) {
  console.log('The committed schema is not that of the sources. Write it anew: npm run schema:print');
  process.exitCode = 1;
}
