import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { read, root } from '../documents/page.ts';
import type { Gateway } from '../support/gateway.ts';
import { samplesOf, scrape } from '../support/metrics.ts';
import { hasPromtool, promtool } from './promtool.ts';
import { startEventfulGateway } from './eventful-gateway.ts';

const alertFile = 'deploy/prometheus/alerts.yaml';
const dashboardFile = 'deploy/grafana/switchboard.json';

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}
const dashboard = JSON.parse(read(dashboardFile)) as { readonly panels: readonly Panel[] };
const targets = dashboard.panels.flatMap((panel) => panel.targets ?? []);

/** The expressions of the rules, each in one line. */
const alerts = [...read(alertFile).matchAll(/- alert: (\w+)\n([^]*?)(?=\n {6}- alert|$)/g)].map(
  ([, name = '', text = '']) => ({
    name,
    expr: (/expr: (?:>\n)?([^]*?)\n {8}\w/.exec(text)?.[1] ?? '').replaceAll(/\s+/g, ' ').trim(),
    summary: /summary: *(.*)/s.exec(text)?.[1] ?? '',
  }),
);

// Prometheus adds these to each sample that it scrapes.
const addedLabels = ['instance', 'job'];
const words = new Set('sum max count by rate increase histogram_quantile unless or offset le up'.split(' '));

/** The names in an expression: of metrics with their labels in braces, and of labels in `by (…)`. */
function namesIn(expr: string) {
  const plain = expr.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
  const by = [...plain.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(/,\s*/));
  const metrics = [...plain.matchAll(/\b([a-z]\w*)(?:\{([^}]*)\})?/gi)]
    .filter(([, name = '']) => /^(?:switchboard|nodejs|process)_/.test(name))
    .map(([, name = '', matchers = '']) => ({
      name,
      labels: [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
    }));
  return { metrics, by };
}

describe('the metrics of an eventful gateway', () => {
  let gateway: Gateway;
  let text = '';
  const labels = new Map<string, Set<string>>();
  beforeAll(async () => {
    gateway = await startEventfulGateway();
    text = await scrape(gateway);
    for (const sample of samplesOf(text)) {
      const known = labels.get(sample.name) ?? new Set(addedLabels);
      for (const label of Object.keys(sample.labels)) known.add(label);
      labels.set(sample.name, known);
    }
  });
  afterAll(() => gateway.close());

  function faultsOf(expr: string, others: readonly string[] = []): readonly string[] {
    const { metrics, by } = namesIn(expr);
    if (metrics.length === 0 && !expr.startsWith('up{')) return [`${expr} has no metric`];
    const known = metrics.map(({ name }) => labels.get(name) ?? new Set<string>());
    return [
      ...metrics.filter(({ name }) => !labels.has(name)).map(({ name }) => `there is no ${name}`),
      ...metrics.flatMap((metric, index) =>
        metric.labels
          .filter((label) => known[index]?.has(label) === false)
          .map((label) => `${metric.name} has no ${label}`),
      ),
      ...[...by, ...others]
        .filter((label) => !words.has(label) || label === 'le')
        .filter((label) => !known.every((set) => set.has(label)) && !addedLabels.includes(label))
        .map((label) => `${expr} has no ${label}`),
    ];
  }

  test('all have a value, a type and a help', () => {
    const typed = [...text.matchAll(/^# TYPE (switchboard_\w+) (\w+)$/gm)].map(([, name = '', type]) => ({
      name,
      type,
    }));
    expect(typed.length).toBeGreaterThan(20);
    for (const { name, type } of typed) {
      expect(text).toMatch(new RegExp(`^# HELP ${name} \\S.*\\.$`, 'm'));
      expect(labels.has(type === 'histogram' ? `${name}_count` : name), name).toBe(true);
      expect(type === 'counter' ? name.endsWith('_total') : !name.endsWith('_total'), name).toBe(true);
    }
  });

  test.skipIf(!hasPromtool)('are clean to promtool (left out where it is not installed)', () => {
    expect(promtool(['check', 'metrics'], text)).toEqual({ status: 0, said: '' });
  });

  test('are all that the dashboard reads, with their labels', () => {
    expect(targets.length).toBeGreaterThan(20);
    expect(
      targets.flatMap(({ expr, legendFormat }) =>
        faultsOf(
          expr,
          [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label),
        ),
      ),
    ).toEqual([]);
  });

  test('are all on the dashboard', () => {
    const shown = new Set(targets.flatMap(({ expr }) => namesIn(expr).metrics.map(({ name }) => name)));
    const own = [...text.matchAll(/^# TYPE (switchboard_\w+) /gm)].map(([, name = '']) => name);
    expect(
      own.filter((name) => !shown.has(name) && !shown.has(`${name}_count`) && !shown.has(`${name}_bucket`)),
    ).toEqual([]);
  });

  test('are all that the alerts read, with their labels', () => {
    expect(alerts.length).toBeGreaterThan(10);
    expect(
      alerts.flatMap(({ expr, summary }) =>
        faultsOf(
          expr,
          [...summary.matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label),
        ),
      ),
    ).toEqual([]);
  });
});

test('every alert has a line in the operations page on what to do', () => {
  const page = read('docs/operations.md');
  expect(alerts.filter(({ name }) => !new RegExp(`^\\| \`${name}\` +\\| \\S`, 'm').test(page))).toEqual([]);
});

describe.skipIf(!hasPromtool)('promtool (left out where it is not installed)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-rules-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  test('accepts the alert rules', () => {
    const { status, said } = promtool(['check', 'rules', root + alertFile]);
    expect(said).toContain(`SUCCESS: ${alerts.length} rules found`);
    expect(status).toBe(0);
  });

  test('accepts every expression of the dashboard', () => {
    const rules = targets.map(({ expr }, index) => ({
      record: `panel:${index}`,
      expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'),
    }));
    const file = join(folder, 'panels.yaml');
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules }] }));
    expect(promtool(['check', 'rules', file])).toMatchObject({ status: 0 });
  });
});
