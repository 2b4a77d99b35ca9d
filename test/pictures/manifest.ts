import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** The folder of the pictures. */
export const folder = new URL('../../docs/pictures/', import.meta.url);
const file = new URL('pictures.json', folder);

/** For each subject of pictures, by its name: a hash of what it shows, and the pictures with a hash of their bytes. */
export type Manifest = Readonly<Record<string, Entry>>;

export interface Entry {
  readonly shows: string;
  readonly files: Readonly<Record<string, string>>;
}

/** Reads what was noted when the pictures were made. */
export function readManifest(): Manifest {
  return JSON.parse(readFileSync(file, 'utf8')) as Manifest;
}

/** Writes down what the pictures show: `shown` has the hash of each subject, with which the names of its pictures begin. */
export function writeManifest(shown: Readonly<Record<string, string>>): void {
  const entries = Object.entries(shown).map(([name, shows]) => [name, { shows, files: hashFiles(name) }]);
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`);
}

/** Hashes the pictures of one subject. */
export function hashFiles(name: string): Entry['files'] {
  const own = pictureFiles().filter((picture) => picture.startsWith(`${name}-`) || picture.startsWith(`${name}.`));
  return Object.fromEntries(own.map((picture) => [picture, hash(readFileSync(new URL(picture, folder)))]));
}

/** The names of all pictures in the folder, sorted. */
export function pictureFiles(): readonly string[] {
  return readdirSync(folder)
    .filter((name) => /\.(?:webp|svg)$/.test(name))
    .sort();
}

export function hash(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 32);
}
