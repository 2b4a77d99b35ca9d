import type { Manifest } from './manifest.ts';

interface Validate {
  (data: unknown): boolean;
  readonly errors?:
    readonly { readonly instancePath: string; readonly message?: string; readonly keyword: string }[] | null;
}

/** What the schemas of the Kubernetes API find wrong with an object: values of a wrong type, members that are missing or unknown. */
export async function schemaFaultsOf(object: Manifest): Promise<readonly string[]> {
  const validate = await validatorOf(object);
  const read = new Set<string>();
  const isValid = validate(watched(object, '', read));
  const wrong = (isValid ? [] : (validate.errors ?? [])).map((error) => `${error.instancePath}: ${error.keyword}`);
  // The schemas let unknown members pass, and the API drops them in silence; their code reads each member that it knows.
  const unknown = membersOf(object, '').filter((path) => !read.has(path));
  return [...wrong, ...unknown.map((path) => `${path}: unknown`)];
}

async function validatorOf({ apiVersion, kind }: Manifest): Promise<Validate> {
  const [group, version = group] = apiVersion.includes('/') ? apiVersion.split('/') : ['core', apiVersion];
  const name = ['Io', 'K8s', 'Api', capitalised(group.split('.')[0]), capitalised(version), kind].join('');
  const { validate } = await import(`kubernetes-models/_schemas/${name}`);
  return validate;
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** The same value, which notes the path of each member that is read. */
function watched(value: unknown, path: string, read: Set<string>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return new Proxy(value, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof name !== 'string' || !Object.hasOwn(target, name)) return member;
      read.add(`${path}/${name}`);
      return watched(member, `${path}/${name}`, read);
    },
  });
}

function membersOf(value: unknown, path: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    `${path}/${name}`,
    ...membersOf(member, `${path}/${name}`),
  ]);
}
