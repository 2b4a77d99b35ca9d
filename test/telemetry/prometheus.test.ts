import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { read } from '../documents/page.ts';
import type { Gateway } from '../support/gateway.ts';
import { samplesOf, scrape } from '../support/metrics.ts';
import { alerts, targets } from './alerts.ts';
import { breakdownReply, startEventfulGateway } from './eventful-gateway.ts';

// That alerts fire when they should: test/nightly/alerts.test.ts.

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

  const missions = { operation: 'GET /ai/missions' };
  const summaries = { operation: 'GET /charges_summary' };
  test.for<[name: string, labels: Readonly<Record<string, string>>, value: number]>([
    ['upstream_retries_total', { ...missions, reason: '503' }, 1],
    ['upstream_rate_limit_refusals_total', missions, 1],
    ['upstream_breaker_open', { ...summaries, callers: 'strangers' }, 1],
    ['upstream_breaker_open', { ...summaries, callers: 'known' }, 0],
    ['upstream_breaker_open', { ...missions, callers: 'known' }, 0],
    ['upstream_breaker_refusals_total', summaries, 4],
    ['upstream_shared_calls_total', { operation: 'GET /ip_connections' }, 1],
    ['kept_report_hits_total', {}, 1],
    ['kept_reports', {}, 1],
    ['kept_report_bytes', {}, JSON.stringify(breakdownReply.json).length],
    ['trusted_operation_duration_seconds_count', { name: 'Missions', outcome: 'error' }, 1],
    ['trusted_operation_duration_seconds_count', { name: 'nameless', outcome: 'ok' }, 1],
  ])('count what has happened: %s of %j is %i', ([name, wanted, value]) => {
    const found = samplesOf(text).filter(
      (sample) =>
        sample.name === `switchboard_${name}` &&
        Object.entries(wanted).every(([key, own]) => sample.labels[key] === own),
    );
    expect(found.map((sample) => sample.value)).toEqual([value]);
  });

  test('have durations of trusted operations alone', () => {
    const names = samplesOf(text).flatMap(({ name, labels: { name: operation = '' } }) =>
      name === 'switchboard_trusted_operation_duration_seconds_count' ? [operation] : [],
    );
    expect(names.sort()).toEqual(['Missions', 'nameless']);
  });

  test('are all that the dashboard reads, with their labels', () => {
    expect(targets.length).toBeGreaterThan(20);
    const faults = targets.flatMap(({ expr, legendFormat }) => faultsOf(expr, wordsIn(legendFormat, /\{\{(\w+)\}\}/g)));
    expect(faults).toEqual([]);
  });

  test('are all on the dashboard', () => {
    const shown = new Set(targets.flatMap(({ expr }) => namesIn(expr).metrics.map(({ name }) => name)));
    const own = [...text.matchAll(/^# TYPE (switchboard_\w+) /gm)].map(([, name = '']) => name);
    expect(own.filter((name) => !['', '_count', '_bucket'].some((end) => shown.has(name + end)))).toEqual([]);
  });

  test('are all that the alerts read, with their labels', () => {
    expect(alerts.length).toBeGreaterThan(10);
    const faults = alerts.flatMap(({ expr, summary }) => faultsOf(expr, wordsIn(summary, /\$labels\.(\w+)/g)));
    expect(faults).toEqual([]);
  });
});

test('every alert has a line in the operations page on what to do', () => {
  const page = read('docs/operations.md');
  expect(alerts.filter(({ name }) => !new RegExp(`^\\| \`${name}\` +\\| \\S`, 'm').test(page))).toEqual([]);
});
