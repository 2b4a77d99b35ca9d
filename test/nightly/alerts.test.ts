import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../documents/page.ts';
import { temporaryFolder } from '../support/files.ts';
import { scrape } from '../support/metrics.ts';
import { alertFile, alerts, targets } from '../telemetry/alerts.ts';
import { startEventfulGateway } from '../telemetry/eventful-gateway.ts';

// Prometheus' own tool (Debian: `prometheus`). Its tests are left out where it is not.
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

/** Runs the tool with a text as its input; returns what it has to say, which is empty where it finds nothing. */
function promtool(args: readonly string[], input = '') {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8', timeout: 30_000 });
  return { status, said: stdout + stderr };
}

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

test('every alert has samples with which it fires', () => {
  expect(Object.keys(cases).toSorted()).toEqual(alerts.map(({ name }) => name).toSorted());
});

describe.skipIf(!hasPromtool)('promtool (left out where it is not installed)', () => {
  const folder = temporaryFolder();
  const writeFile = (name: string, content: object): string => {
    writeFileSync(join(folder, name), JSON.stringify(content));
    return join(folder, name);
  };

  test('finds the metrics of an eventful gateway clean', async () => {
    const gateway = await startEventfulGateway();
    expect(promtool(['check', 'metrics'], await scrape(gateway))).toEqual({ status: 0, said: '' });
    await gateway.close();
  });

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
