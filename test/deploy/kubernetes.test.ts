import { describe } from 'vitest';
import { stopMs } from '../../src/bounds.ts';
import { limits, readConfig } from '../../src/config.ts';
import { pageOf } from '../documents/page.ts';
import { expect, test } from '../support/gateway.ts';
import { schemaFaultsOf } from './kubernetes-schema.ts';
import {
  imageEnvironment,
  kubernetesFiles,
  kubernetesObjects,
  objectOf,
  readManifests,
  type Manifest,
} from './manifest.ts';

const pod = objectOf('Deployment').spec.template;
const [container] = pod.spec.containers;
const settings: Readonly<Record<string, string>> = objectOf('ConfigMap').data;
const ports = new Map<string, number>(
  container.ports.map(({ name, containerPort }: { name: string; containerPort: number }) => [name, containerPort]),
);

// A test of the documents holds its tables to the variables that are read.
const variables = pageOf('docs/reference/settings.md').prose;

describe('deploy/kubernetes', () => {
  test('is applied whole', () => {
    const [{ resources }] = readManifests('kubernetes/kustomization.yaml') as [{ resources: string[] }];
    expect(resources.toSorted()).toEqual(kubernetesFiles.toSorted());
    expect(kubernetesObjects.map(({ kind, metadata: { name } }) => `${kind} ${name}`).sort()).toEqual([
      'ConfigMap switchboard',
      'Deployment switchboard',
      'HorizontalPodAutoscaler switchboard',
      'Ingress switchboard',
      'NetworkPolicy switchboard',
      'PodDisruptionBudget switchboard',
      'Service switchboard',
      'Service switchboard-admin',
    ]);
  });

  test("fits the schemas of Kubernetes' API, and has no member that they do not know", async () => {
    for (const object of kubernetesObjects)
      expect([object.kind, await schemaFaultsOf(object)]).toEqual([object.kind, []]);
  });

  test.for<readonly [what: string, spoil: (manifest: Manifest) => void, fault: string]>([
    ['a text for a number', ({ spec }) => (spec.template.spec.terminationGracePeriodSeconds = '20'), 'type'],
    ['an unknown member', ({ spec }) => (spec.template.spec.automountToken = false), 'unknown'],
    ['an unknown member of a container', ({ spec }) => (spec.template.spec.containers[0].probe = {}), 'unknown'],
    ['a container without a name', ({ spec }) => delete spec.template.spec.containers[0].name, 'required'],
  ])('would not fit them with %s', async ([, spoil, fault]) => {
    const object = structuredClone(objectOf('Deployment'));
    spoil(object);
    expect(await schemaFaultsOf(object)).toEqual([expect.stringContaining(`: ${fault}`)]);
  });

  test('sets variables that exist to values that can be used', () => {
    for (const name of Object.keys(settings)) expect(variables).toContain(`\`${name}\``);
    expect(() => readConfig({ ...imageEnvironment(), ...settings })).not.toThrow();
    for (const value of Object.values(settings)) expect(typeof value).toBe('string');
  });

  test('probes paths that the gateway serves, on the port that serves them', async ({ startWith }) => {
    const gateway = await startWith({ ...settings, UPSTREAM_BASE_URL: '', ADMIN_PORT: '' });
    const probes = ['startupProbe', 'readinessProbe', 'livenessProbe'].map((name) => container[name].httpGet);
    for (const { path, port } of probes) {
      expect(ports.get(port)).toBe(Number(settings['ADMIN_PORT']));
      expect([path, (await gateway.fetch(path)).status]).toEqual([path, 200]);
    }
    expect(probes.map(({ path }) => path)).toEqual(['/health', '/ready', '/health']);
    expect(ports.get('http')).toBe(readConfig(imageEnvironment()).port);
  });

  test('leaves a stop the time that it takes, after the time in which everybody hears of it', () => {
    const { seconds } = container.lifecycle.preStop.sleep;
    expect(pod.spec.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(seconds * 1_000 + stopMs);
    const { periodSeconds, failureThreshold } = container.readinessProbe;
    expect(seconds).toBeGreaterThan(periodSeconds * failureThreshold);
  });

  test('finds the pods from everything that looks for them', () => {
    const { labels } = pod.metadata;
    const selectors = [
      objectOf('Deployment').spec.selector.matchLabels,
      objectOf('Service').spec.selector,
      objectOf('Service', 'switchboard-admin').spec.selector,
      objectOf('PodDisruptionBudget').spec.selector.matchLabels,
      objectOf('NetworkPolicy').spec.podSelector.matchLabels,
      pod.spec.topologySpreadConstraints[0].labelSelector.matchLabels,
    ];
    for (const selector of selectors) expect(labels).toEqual(selector);
    const services = ['switchboard', 'switchboard-admin'].map((name) => objectOf('Service', name).spec.ports[0]);
    expect(services.map(({ targetPort }) => targetPort)).toEqual(['http', 'admin']);
    const rules = objectOf('NetworkPolicy').spec.ingress;
    expect(rules.flatMap(({ ports: named }: { ports: { port: string }[] }) => named.map(({ port }) => port))).toEqual([
      ...ports.keys(),
    ]);
    const [{ backend }] = objectOf('Ingress').spec.rules[0].http.paths;
    expect(backend.service).toEqual({ name: 'switchboard', port: { name: objectOf('Service').spec.ports[0].name } });
    expect(objectOf('HorizontalPodAutoscaler').spec.scaleTargetRef.name).toBe(objectOf('Deployment').metadata.name);
    expect(container.envFrom).toEqual([{ configMapRef: { name: objectOf('ConfigMap').metadata.name } }]);
  });

  test('gives the pod no rights, and the memory that large bodies may take', () => {
    expect(pod.spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    expect(`${pod.spec.securityContext.runAsUser}:${pod.spec.securityContext.runAsGroup}`).toBe('65532:65532');
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    const mebibytes = { '512Mi': 512, '1Gi': 1_024 }[container.resources.limits.memory as '1Gi'];
    expect(mebibytes * 2 ** 20).toBeGreaterThan(2 * limits.upstreamMaxHeldBytes.fallback);
  });

  test('hashes the caller at the ingress, and buffers nothing there', () => {
    expect(objectOf('Ingress').metadata.annotations).toMatchObject({
      'nginx.ingress.kubernetes.io/upstream-hash-by': '$http_authorization',
      'nginx.ingress.kubernetes.io/proxy-buffering': 'off',
    });
  });
});
