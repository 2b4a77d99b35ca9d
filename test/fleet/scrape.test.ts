import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { programPath } from './programs.ts';

test('deploy/prometheus/prometheus.yml is a configuration that Prometheus takes, with the alerts', () => {
  const file = fileURLToPath(new URL('../../deploy/prometheus/prometheus.yml', import.meta.url));
  const { status, stdout, stderr } = spawnSync(programPath('promtool'), ['check', 'config', file], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toContain('alerts.yaml');
});
