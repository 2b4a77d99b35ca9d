import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { stopMs } from '../../src/bounds.ts';
import { readConfig } from '../../src/config.ts';
import { pageOf } from '../documents/page.ts';
import { expect, test } from 'vitest';
import { folder, imageEnvironment, readManifests, type Manifest } from './manifest.ts';

const [compose] = readManifests('compose.yaml') as [Manifest];
const { services } = compose;
const gateways = ['gateway-1', 'gateway-2'];

/** The value of a variable where nobody sets the one that it is taken from. */
const withDefaults = (env: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value.replace(/^\$\{\w+:-(.*)\}$/, '$1')]));

// The Compose specification has no package of its own; this linter's releases carry its schema.
const schemaFile = new URL('schemas/compose.schema.json', import.meta.resolve('dclint/package.json'));
// Ajv knows the draft that the schema names by another address.
const { $schema: _draft, ...schema } = JSON.parse(readFileSync(schemaFile, 'utf8')) as Readonly<
  Record<string, unknown>
>;

test('deploy/compose.yaml fits the schema of the Compose specification', () => {
  const validate = new Ajv({ strict: false, allErrors: true }).compile(schema);
  expect([validate(compose), validate.errors]).toEqual([true, null]);
  // It has no member that the specification does not know.
  expect(validate({ ...compose, service: {} })).toBe(false);
});

test('deploy/compose.yaml names services and volumes that it has, and publishes ports on loopback alone', () => {
  const all: readonly Manifest[] = Object.values(services);
  for (const { depends_on: needed = [], volumes = [], ports = [], build } of all) {
    const names: readonly string[] = Array.isArray(needed) ? needed : Object.keys(needed);
    expect(Object.keys(services)).toEqual(expect.arrayContaining([...names]));
    const named: readonly string[] = volumes.filter((mount: string) => !mount.startsWith('.'));
    expect(Object.keys(compose.volumes)).toEqual(expect.arrayContaining(named.map((mount) => mount.split(':')[0])));
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
    if (build !== undefined) expect(existsSync(join(folder, build.context, build.dockerfile))).toBe(true);
  }
});

test('deploy/compose.yaml sets variables that exist, or takes them from its environment', () => {
  // A test of the documents holds its tables to the variables that are read.
  const variables = pageOf('docs/reference/settings.md').prose;
  const taken = [...readFileSync(join(folder, 'compose.yaml'), 'utf8').matchAll(/\$\{(\w+)/g)].map(([, name]) => name);
  expect(taken).not.toEqual([]);
  const set = gateways.flatMap((name) => Object.keys(services[name].environment));
  for (const name of [...taken, ...set]) expect(variables).toContain(`\`${name}\``);
});

test('deploy/compose.yaml gives gateways settings that can be used, and names hosts that it has', () => {
  for (const name of gateways) {
    const config = readConfig({ ...imageEnvironment(), ...withDefaults(services[name].environment) });
    expect(config.port).toBe(4000);
    for (const url of [config.upstreamBaseUrl, services[name].environment.SHARED_STATE_URL])
      expect(Object.keys(services)).toContain(new URL(url ?? '').hostname);
  }
  const { PORT } = services.sandbox.environment;
  expect(new URL(withDefaults(services['gateway-1'].environment)['UPSTREAM_BASE_URL'] ?? '').port).toBe(PORT);
  expect(existsSync(join(folder, '..', services.sandbox.entrypoint[1]))).toBe(true);
});

test('deploy/compose.yaml puts HAProxy with its configuration before all gateways', () => {
  const config = readFileSync(join(folder, 'haproxy.cfg'), 'utf8');
  for (const name of Object.keys(services.haproxy.environment)) expect(config).toContain(`"\${${name}-`);
  const { GATEWAY_1, GATEWAY_2, BIND } = services.haproxy.environment;
  expect([GATEWAY_1, GATEWAY_2]).toEqual(gateways.map((name) => `${name}:4000`));
  expect(services.haproxy.ports).toEqual([`127.0.0.1:8080:${BIND.split(':')[1]}`]);
  expect(Object.keys(services.haproxy.depends_on)).toEqual(gateways);
});

test('deploy/compose.yaml has Prometheus ask the port for figures of all gateways, with the alerts', () => {
  const [prometheus] = readManifests('prometheus/prometheus.yml') as [Manifest];
  const [{ job_name: job, static_configs: configs }] = prometheus.scrape_configs;
  expect(job).toBe('switchboard');
  const { ADMIN_PORT } = services['gateway-1'].environment;
  expect(configs[0].targets).toEqual(gateways.map((name) => `${name}:${ADMIN_PORT}`));
  for (const file of prometheus.rule_files) expect(existsSync(join(folder, 'prometheus', file))).toBe(true);
});

test('deploy/compose.yaml gives Grafana the dashboard, and Prometheus to ask', () => {
  const [{ datasources }] = readManifests('grafana/provisioning/datasources/prometheus.yaml') as [Manifest];
  expect(datasources).toMatchObject([{ type: 'prometheus', url: 'http://prometheus:9090', isDefault: true }]);
  expect(services.grafana.depends_on).toEqual(['prometheus']);
  const [{ providers }] = readManifests('grafana/provisioning/dashboards/switchboard.yaml') as [Manifest];
  const dashboard = `${providers[0].options.path}/switchboard.json`;
  expect(services.grafana.volumes).toContain(`./grafana/switchboard.json:${dashboard}:ro`);
  expect(services.grafana.environment.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH).toBe(dashboard);
});

test.for(Object.keys(services))('deploy/compose.yaml runs %s without rights', (name) => {
  expect(services[name]).toMatchObject({
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
  });
  expect(services[name].privileged ?? services[name].cap_add).toBeUndefined();
});

test('deploy/compose.yaml mounts files that exist, waits for gateways by the health check of their image, and for their stop', () => {
  const mounts: string[] = Object.values(services).flatMap(({ volumes = [] }: Manifest) => volumes);
  const files = mounts.filter((mount) => mount.startsWith('.')).map((mount) => mount.split(':')[0] ?? '');
  expect(files.filter((file) => !existsSync(join(folder, file)))).toEqual([]);
  for (const name of gateways) {
    expect(services.haproxy.depends_on[name].condition).toBe('service_healthy');
    expect(services[name].healthcheck).toBeUndefined();
    expect(Number.parseInt(services[name].stop_grace_period) * 1_000).toBeGreaterThan(stopMs);
  }
});
