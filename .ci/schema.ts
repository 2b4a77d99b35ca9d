import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { CriticalityLevel, diff, type Change } from '@graphql-inspector/core';
import { buildSchema } from 'graphql';
import { printClientSchema, readTypeDefs } from './type-defs.ts';
import { drawSchema } from './schema-picture.ts';

// `schema.graphql` is the contract with clients; it is committed so that its diff is read, and its picture so that nobody has to draw
// it. `check` fails where either differs from the sources; `print` writes them anew, a breaking change only with `--acknowledge`.
const file = new URL('../schema.graphql', import.meta.url);
const pictureFile = new URL('../src/generated/schema-picture.svg', import.meta.url);
const [task = 'check', ...flags] = process.argv.slice(2);
const printed = printClientSchema(readTypeDefs());
const committed = existsSync(file) ? readFileSync(file, 'utf8') : printed;
/** Drawing takes longer than all else here. */
const draw = () => drawSchema(buildSchema(printed));
const isCurrent = (at: URL, text: string): boolean => existsSync(at) && readFileSync(at, 'utf8') === text;
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
  console.log('Clients depend on what breaks. If it must be: npm run codegen -- --acknowledge');
  process.exitCode = 1;
} else if (task === 'print') {
  writeFileSync(file, printed);
  writeFileSync(pictureFile, await draw());
} else if (!isCurrent(file, printed) || !isCurrent(pictureFile, await draw())) {
  console.log('The committed schema or its picture is not that of the sources. Write them anew: npm run codegen');
  process.exitCode = 1;
}
