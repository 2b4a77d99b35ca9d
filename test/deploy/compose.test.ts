import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stopMs } from '../../src/bounds.ts';
import { readConfig } from '../../src/config.ts';
import { folder, imageEnvironment, readManifests, type Manifest } from './manifest.ts';

const [compose] = readManifests('compose.yaml') as [Manifest];
const { services } = compose;
const gateways = ['gateway-1', 'gateway-2'];

/** The value of a variable where nobody sets the one that it is taken from. */
const withDefaults = (env: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value.replace(/^\$\{\w+:-(.*)\}$/, '$1')]));

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

test('deploy/compose.yaml mounts files that exist, and runs what is ours without rights', () => {
  const mounts: string[] = Object.values(services).flatMap(({ volumes = [] }: Manifest) => volumes);
  const files = mounts.filter((mount) => mount.startsWith('.')).map((mount) => mount.split(':')[0] ?? '');
  expect(files.filter((file) => !existsSync(join(folder, file)))).toEqual([]);
  for (const name of [...gateways, 'sandbox'])
    expect(services[name]).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
  for (const name of gateways)
    expect(Number.parseInt(services[name].stop_grace_period) * 1_000).toBeGreaterThan(stopMs);
});
