import { readFileSync } from 'node:fs';

interface Package {
  readonly version: string;
}

const packageFile = new URL('../../package.json', import.meta.url);

/** The version of this build, as package.json has it. */
export const version = (JSON.parse(readFileSync(packageFile, 'utf8')) as Package).version;
