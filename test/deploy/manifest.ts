import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import type { Json } from '../support/records.ts';

/** The folder of what is deployed. */
export const folder = fileURLToPath(new URL('../../deploy/', import.meta.url));

export type Manifest = Json;

/** The documents of a YAML file below `deploy/`; throws what is no YAML, and where a key is there twice. */
export function readManifests(file: string): readonly Manifest[] {
  return parseAllDocuments(readFileSync(folder + file, 'utf8'), { merge: true }).map((document) => {
    if (document.errors[0] !== undefined) throw document.errors[0];
    return document.toJS();
  });
}

/** All objects for Kubernetes, and the files that they are in: those that are applied, and those for some clusters only. */
export const kubernetesFiles = readdirSync(`${folder}kubernetes`).filter(
  (name) => name.endsWith('.yaml') && name !== 'kustomization.yaml',
);
export const kubernetesObjects = kubernetesFiles.flatMap((name) => readManifests(`kubernetes/${name}`));

/** The one object of a kind and, where there are several, of a name. */
export function objectOf(kind: string, name = 'switchboard'): Manifest {
  const found = kubernetesObjects.find((object) => object.kind === kind && object.metadata.name === name);
  if (found === undefined) throw new Error(`There is no ${kind} ${name}.`);
  return found;
}

/** The instructions of the Dockerfile's last stage, each with its text in one line. */
export function readImage(): ReadonlyMap<string, string> {
  const text = readFileSync(`${folder}Dockerfile`, 'utf8')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '');
  const [, last = ''] = text.split('FROM scratch\n');
  return new Map([...last.matchAll(/^([A-Z]+) (.*)$/gm)].map(([, name = '', rest = '']) => [name, rest]));
}

/** The environment that an image or a container is given. */
export function imageEnvironment(): Readonly<Record<string, string>> {
  const pairs = (readImage().get('ENV') ?? '').split(/\s+/).map((pair) => pair.split('='));
  return Object.fromEntries(pairs);
}
