import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { stopMs } from '../../src/bounds.ts';
import { limits, readConfig } from '../../src/config.ts';
import { pageOf } from '../documents/page.ts';
import { temporaryFolder } from '../support/files.ts';
import { describe, expect, test } from '../support/gateway.ts';
import { schemaFaultsOf } from './kubernetes-schema.ts';
import {
  folder,
  imageEnvironment,
  kubernetesFiles,
  kubernetesObjects,
  objectOf,
  readManifests,
  type Manifest,
} from './manifest.ts';

const pod = objectOf('Deployment').spec.template;
const [container] = pod.spec.containers;
const [kustomization] = readManifests('kubernetes/kustomization.yaml') as [Manifest];
const [generated] = kustomization.configMapGenerator;
const settings = parseEnv(readFileSync(`${folder}kubernetes/${generated.envs[0]}`, 'utf8')) as Readonly<
  Record<string, string>
>;
const ports = new Map<string, number>(
  container.ports.map(({ name, containerPort }: { name: string; containerPort: number }) => [name, containerPort]),
);

// A test of the documents holds its tables to the variables that are read.
const variables = pageOf('docs/reference/settings.md').prose;

describe('deploy/kubernetes', () => {
  test('is applied, but for what needs more than Kubernetes has, which a line of a comment adds', () => {
    const text = readFileSync(`${folder}kubernetes/kustomization.yaml`, 'utf8');
    const optional = [...text.matchAll(/^ {2}# - (.*)$/gm)].map(([, name]) => name);
    expect(optional).toEqual(['http-route.yaml', 'pod-monitor.yaml', 'private-api.yaml']);
    expect([...kustomization.resources, ...optional].toSorted()).toEqual(kubernetesFiles.toSorted());
  });

  test('rolls the pods when a setting changes: kustomize adds a hash to the name that they refer to', () => {
    expect(kustomization.generatorOptions?.disableNameSuffixHash).toBeUndefined();
    expect(generated.options.disableNameSuffixHash).toBeUndefined();
    expect(container.envFrom).toEqual([{ configMapRef: { name: generated.name } }]);
  });

  test('fits the schemas of its kinds, and has no member that they do not know', async () => {
    for (const object of kubernetesObjects)
      expect([object.kind, await schemaFaultsOf(object)]).toEqual([object.kind, []]);
    const wrong = structuredClone(objectOf('Deployment'));
    Object.assign(wrong.spec.template.spec, { terminationGracePeriodSeconds: '20', automountToken: false });
    const faults = ['terminationGracePeriodSeconds: type', 'automountToken: unknown'];
    expect(await schemaFaultsOf(wrong)).toEqual(faults.map((fault) => `/spec/template/spec/${fault}`));
  });

  test('sets variables that exist to values that can be used', () => {
    for (const name of Object.keys(settings)) expect(variables).toContain(`\`${name}\``);
    expect(() => readConfig({ ...imageEnvironment(), ...settings })).not.toThrow();
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
      objectOf('NetworkPolicy', 'switchboard-private-api').spec.podSelector.matchLabels,
      objectOf('PodMonitor').spec.selector.matchLabels,
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
    expect(objectOf('Ingress').metadata.annotations).toMatchObject({
      'nginx.ingress.kubernetes.io/upstream-hash-by': '$http_authorization',
      'nginx.ingress.kubernetes.io/proxy-buffering': 'off',
    });
    expect(objectOf('HorizontalPodAutoscaler').spec.scaleTargetRef.name).toBe(objectOf('Deployment').metadata.name);
  });

  test('sends what the HTTPRoute takes to the Service, the requests of one key to one pod, and lets streams live', () => {
    const { hostnames, rules } = objectOf('HTTPRoute').spec;
    const service = objectOf('Service');
    expect(hostnames).toEqual([objectOf('Ingress').spec.rules[0].host]);
    expect(rules).toMatchObject([
      { backendRefs: [{ name: service.metadata.name, port: service.spec.ports[0].port }], timeouts: { request: '0s' } },
    ]);
    const { targetRefs, loadBalancer } = objectOf('BackendTrafficPolicy').spec;
    expect(targetRefs).toMatchObject([{ kind: 'HTTPRoute', name: objectOf('HTTPRoute').metadata.name }]);
    expect(loadBalancer.consistentHash).toEqual({ type: 'Header', header: { name: 'Authorization' } });
  });

  test('names the job of its figures as the alerts and the other configuration of Prometheus do', () => {
    const { jobLabel, podMetricsEndpoints } = objectOf('PodMonitor').spec;
    const job = pod.metadata.labels[jobLabel];
    const alerts = readFileSync(`${folder}prometheus/alerts.yaml`, 'utf8');
    const named = [...alerts.matchAll(/job="([^"]*)"/g)].map(([, name]) => name);
    expect(new Set(named)).toEqual(new Set([job]));
    expect(readManifests('prometheus/prometheus.yml')).toMatchObject([{ scrape_configs: [{ job_name: job }] }]);
    expect(podMetricsEndpoints).toMatchObject([{ port: 'admin', path: '/metrics' }]);
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
});

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;

describe.skipIf(!hasKubectl)('kubectl kustomize (left out where kubectl is not installed)', () => {
  const copies = temporaryFolder();

  /** What it makes of a copy of which one file is changed. */
  function build(name: string, change: (text: string) => string): readonly Manifest[] {
    const copy = mkdtempSync(join(copies, 'kubernetes-'));
    cpSync(`${folder}kubernetes`, copy, { recursive: true });
    writeFileSync(join(copy, name), change(readFileSync(join(copy, name), 'utf8')));
    const { stdout, stderr } = spawnSync('kubectl', ['kustomize', copy], { encoding: 'utf8' });
    expect(stderr).toBe('');
    return parseAllDocuments(stdout).map((document) => document.toJS());
  }

  test('makes all objects, those that are comments as well', () => {
    const objects = build('kustomization.yaml', (text) => text.replaceAll(/^ {2}# - /gm, '  - '));
    const kinds = [...kubernetesObjects.map(({ kind }) => kind), 'ConfigMap'];
    expect(objects.map(({ kind }) => kind).toSorted()).toEqual(kinds.toSorted());
  });

  test('gives pods another ConfigMap once a setting is another', () => {
    const namesOf = (objects: readonly Manifest[]) =>
      objects.flatMap(({ kind, metadata, spec }) => {
        if (kind === 'ConfigMap') return [metadata.name];
        return kind === 'Deployment' ? [spec.template.spec.containers[0].envFrom[0].configMapRef.name] : [];
      });
    const [before, after] = ['', 'WORKERS=2\n'].map((more) => namesOf(build('settings.env', (text) => text + more)));
    expect([before?.length, new Set(before).size, new Set(after).size]).toEqual([2, 1, 1]);
    expect(after).not.toEqual(before);
  });
});
