import type { Manifest } from './manifest.ts';

/** What Ajv tells of a value. */
interface ValidationError {
  readonly errors: readonly { readonly instancePath: string; readonly keyword: string }[];
}

/** The packages with the kinds of others, by their groups; Kubernetes' own are in `kubernetes-models`. */
const packages: Readonly<Record<string, string>> = {
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
  'gateway.envoyproxy.io': '@kubernetes-models/envoy-gateway',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
};

/** What the schema of its kind finds wrong with an object: values of a wrong type, members that are missing or unknown. */
export async function schemaFaultsOf(object: Manifest): Promise<readonly string[]> {
  const { apiVersion, kind } = object;
  const [group] = apiVersion.split('/');
  const { [kind]: model } = await import(`${packages[group] ?? 'kubernetes-models'}/${apiVersion}/${kind}`);
  const read = new Set<string>();
  const wrong: string[] = [];
  try {
    model.prototype.validate.call(watched(object, '', read));
  } catch (error) {
    wrong.push(...(error as ValidationError).errors.map(({ instancePath, keyword }) => `${instancePath}: ${keyword}`));
  }
  // The schemas let unknown members pass, and the API drops them in silence; their code reads each member that it knows.
  const unknown = membersOf(object, '').filter((path) => !read.has(path));
  return [...wrong, ...unknown.map((path) => `${path}: unknown`)];
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
