import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { read, root } from '../documents/page.ts';
import type { Gateway } from '../support/gateway.ts';
import { samplesOf, scrape } from '../support/metrics.ts';
import { startEventfulGateway } from './eventful-gateway.ts';

const alertFile = 'deploy/prometheus/alerts.yaml';
const dashboardFile = 'deploy/grafana/switchboard.json';

// Prometheus' own tool (Debian: `prometheus`). Tests that need it say so where it is not.
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

/** Runs the tool with a text as its input; returns what it has to say, which is empty where it finds nothing. */
function promtool(args: readonly string[], input = '') {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8', timeout: 30_000 });
  return { status, said: stdout + stderr };
}

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

const wordsIn = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, word = '']) => word);

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
    const faults = targets.flatMap(({ expr, legendFormat }) => faultsOf(expr, wordsIn(legendFormat, /\{\{(\w+)\}\}/g)));
    expect(faults).toEqual([]);
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
    const faults = alerts.flatMap(({ expr, summary }) => faultsOf(expr, wordsIn(summary, /\$labels\.(\w+)/g)));
    expect(faults).toEqual([]);
  });
});

test('every alert has a test, and a line in the operations page on what to do', () => {
  expect(Object.keys(cases).toSorted()).toEqual(alerts.map(({ name }) => name).toSorted());
  const page = read('docs/operations.md');
  expect(alerts.filter(({ name }) => !new RegExp(`^\\| \`${name}\` +\\| \\S`, 'm').test(page))).toEqual([]);
});

/** Samples of one series, one a minute, in promtool's notation: `0+6x20` are 0, 6, 12 and so on, 21 of them. */
type Series = readonly [series: string, values: string];

/** Samples with which an alert fires after twenty minutes, and such with which it does not. */
interface Case {
  readonly fires: readonly Series[];
  readonly silent: readonly Series[];
}

/** Series of a metric whose one label differs. */
const seriesOf =
  (metric: string, label: string, others = 'operation="GET /a",instance="i"') =>
  (value: string, values: string): Series => [`switchboard_${metric}{${label}="${value}",${others}}`, values];
const calls = seriesOf('upstream_call_duration_seconds_count', 'outcome');
const buckets = seriesOf('upstream_call_duration_seconds_bucket', 'le', 'operation="GET /a",outcome="200"');
const breaker = seriesOf('upstream_breaker_open', 'callers');
const operations = seriesOf('operations_total', 'way');
const trusted = seriesOf('trusted_operation_duration_seconds_count', 'outcome', 'name="A"');
const pool = 'instance="i",pool="calls"';
const slots: Series = [`switchboard_upstream_slots{${pool}}`, '100x20'];
const inFlight = `switchboard_upstream_calls_in_flight{${pool}}`;
const violations = 'switchboard_contract_violations_total{coordinate="A.b",kind="missing",instance="i"}';
const retries = 'switchboard_upstream_retries_total{operation="GET /a",reason="503"}';
const one = (series: string, fires: string, silent: string): Case => ({
  fires: [[series, fires]],
  silent: [[series, silent]],
});
const always = '0+60x20';

const cases: Readonly<Record<string, readonly Case[]>> = {
  SwitchboardDown: [one('up{job="switchboard",instance="i"}', '0x20', '1x20')],
  SwitchboardFault: [
    one('switchboard_errors_total{code="INTERNAL_SERVER_ERROR",instance="i"}', '0x18 1 1', '0x20'),
    one('switchboard_unhandled_total{instance="i"}', '0x18 1 1', '0x20'),
  ],
  UpstreamFailing: [
    { fires: [calls('200', always), calls('503', '0+6x20')], silent: [calls('200', always), calls('404', '0+60x20')] },
    { fires: [calls('UPSTREAM_TIMEOUT', always)], silent: [calls('200', always), calls('500', '0+1x20')] },
  ],
  UpstreamUnreachable: [
    one('switchboard_upstream_unreachable_total{operation="GET /a",cause="ENOTFOUND"}', '0+6x20', '0+1x20'),
  ],
  UpstreamSlow: [
    {
      fires: [buckets('2.5', '0+9x20'), buckets('5', '0+10x20'), buckets('+Inf', '0+10x20')],
      silent: [buckets('1', '0+10x20'), buckets('2.5', '0+10x20'), buckets('+Inf', '0+10x20')],
    },
  ],
  UpstreamBreakerOpen: [
    { fires: [breaker('known', '1x20')], silent: [breaker('known', '0x20')] },
    {
      fires: [breaker('known', '0x18 1x3'), calls('200', always)],
      // Made-up keys, while others are served.
      silent: [breaker('strangers', '1x20'), calls('200', always), calls('503', always)],
    },
    // From the start on nobody could be known.
    { fires: [breaker('known', '0x20'), breaker('strangers', '1x20')], silent: [breaker('strangers', '0x20')] },
  ],
  UpstreamSlotsUsedUp: [{ fires: [slots, [inFlight, '90x20']], silent: [slots, [inFlight, '70x20']] }],
  UpstreamCallsRefused: [
    one(`switchboard_upstream_wait_duration_seconds_count{outcome="refused",${pool}}`, '0+60x20', '0x20'),
  ],
  UpstreamRetried: [
    { fires: [calls('200', always), [retries, '0+10x20']], silent: [calls('200', always), [retries, '0+1x20']] },
  ],
  KeysRateLimited: [one('switchboard_errors_total{code="RATE_LIMITED",instance="i"}', '0+90x20', '0+30x20')],
  TrustedOperationFailing: [
    {
      fires: [trusted('ok', always), trusted('error', '0+10x20')],
      silent: [trusted('ok', always), trusted('error', '0+1x20')],
    },
    { fires: [trusted('error', always)], silent: [trusted('ok', always)] },
  ],
  EventLoopHeld: [one('nodejs_eventloop_lag_p99_seconds{job="switchboard",instance="i"}', '0.2x20', '0.02x20')],
  PlansGivenUp: [
    {
      fires: [operations('general', '0+60x40'), operations('compiled', '0+10x40')],
      silent: [operations('general', '0+10x40'), operations('compiled', '0+60x40')],
    },
    { fires: [operations('general', '0+60x40')], silent: [operations('bytes', '0+60x40')] },
  ],
  ReadersStalled: [one('switchboard_stalled_readers_total{instance="i"}', '0+90x20', '0+30x20')],
  ConnectionsRefused: [one('switchboard_refused_connections_total{instance="i"}', '0x18 1 1', '0x20')],
  WorkersReplaced: [one('switchboard_replaced_workers_total{instance="i"}', '0x18 1 1', '0x20')],
  SharedStateAway: [one('switchboard_shared_state_up{store="redis",instance="i"}', '0x20', '0x5 1x15')],
  TracesNotExported: [one('switchboard_trace_spans_total{outcome="failed",instance="i"}', '0+6x20', '7x20')],
  UpstreamContractBroken: [
    one(violations, '0x10 3x10', '3x40'),
    // The series begins with the first violation.
    { fires: [[violations, '_x18 1 1']], silent: [] },
  ],
  UpstreamContractChanged: [one(violations, '0+90x20', '0+30x20')],
};

describe.skipIf(!hasPromtool)('promtool (left out where it is not installed)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-rules-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const writeFile = (name: string, content: object): string => {
    writeFileSync(join(folder, name), JSON.stringify(content));
    return join(folder, name);
  };

  test('accepts the alert rules, and every expression of the dashboard', () => {
    const { said } = promtool(['check', 'rules', root + alertFile]);
    expect(said).toContain(`SUCCESS: ${alerts.length} rules found`);
    const rules = targets.map(({ expr }, index) => ({
      record: `panel:${index}`,
      expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'),
    }));
    const panels = writeFile('panels.yaml', { groups: [{ name: 'panels', rules }] });
    expect(promtool(['check', 'rules', panels])).toMatchObject({ status: 0 });
  });

  const flat = Object.entries(cases).flatMap(([name, all]) => all.map((each) => ({ name, ...each })));

  /** What promtool says of alerts after their minutes with samples, all in one run: SUCCESS where none fires, or their names. */
  function firing(which: keyof Case): string {
    const tests = flat.map(({ name, [which]: series }) => ({
      interval: '1m',
      input_series: series.map(([text, values]) => ({ series: text, values })),
      // It expects none, so it names those that fire.
      alert_rule_test: [{ eval_time: name === 'PlansGivenUp' ? '35m' : '20m', alertname: name, exp_alerts: [] }],
    }));
    const path = writeFile('test.yaml', { rule_files: [root + alertFile], evaluation_interval: '1m', tests });
    return promtool(['test', 'rules', path]).said;
  }

  test('sees every alert fire when it should, and none when it should not', () => {
    const fired = [...firing('fires').matchAll(/alertname: (\w+)/g)].map(([, name]) => name);
    expect(fired.toSorted()).toEqual(flat.map(({ name }) => name).toSorted());
    expect(firing('silent')).toContain('SUCCESS');
  });
});
