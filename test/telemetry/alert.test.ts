import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { read, root } from '../documents/page.ts';
import { hasPromtool, promtool } from './promtool.ts';

const file = 'deploy/prometheus/alerts.yaml';

/** Samples of one series, one a minute, in promtool's notation: `0+6x20` are 0, 6, 12 and so on, 21 of them. */
type Series = readonly [series: string, values: string];

interface Case {
  /** Samples with which the alert fires after twenty minutes. */
  readonly fires: readonly Series[];
  /** Samples with which it does not. */
  readonly silent: readonly Series[];
}

const calls = (outcome: string, values: string): Series => [
  `switchboard_upstream_call_duration_seconds_count{operation="GET /a",outcome="${outcome}",instance="i"}`,
  values,
];
const breaker = (callers: string, values: string): Series => [
  `switchboard_upstream_breaker_open{callers="${callers}",operation="GET /a",instance="i"}`,
  values,
];
const buckets = (le: string, values: string): Series => [
  `switchboard_upstream_call_duration_seconds_bucket{operation="GET /a",outcome="200",instance="i",le="${le}"}`,
  values,
];
const one = (series: string, fires: string, silent: string): Case => ({
  fires: [[series, fires]],
  silent: [[series, silent]],
});
const operations = (way: string, values: string): Series => [`switchboard_operations_total{way="${way}"}`, values];
const slots: Series = ['switchboard_upstream_slots{instance="i",pool="calls"}', '100x20'];
const inFlight = 'switchboard_upstream_calls_in_flight{instance="i",pool="calls"}';
const trusted = (outcome: string, values: string): Series => [
  `switchboard_trusted_operation_duration_seconds_count{name="A",outcome="${outcome}"}`,
  values,
];
const violations = 'switchboard_contract_violations_total{coordinate="A.b",kind="missing",instance="i"}';
const retries = 'switchboard_upstream_retries_total{operation="GET /a",reason="503"}';
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
    one(
      'switchboard_upstream_unreachable_total{operation="GET /a",cause="ENOTFOUND",instance="i"}',
      '0+6x20',
      '0+1x20',
    ),
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
    one(
      'switchboard_upstream_wait_duration_seconds_count{outcome="refused",pool="calls",instance="i"}',
      '0+60x20',
      '0x20',
    ),
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

const folder = mkdtempSync(join(tmpdir(), 'switchboard-alerts-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What promtool says of alerts after their minutes with samples, all in one run: SUCCESS where none fires, or their names. */
function firing(all: readonly (readonly [name: string, series: readonly Series[]])[]): string {
  const path = join(folder, 'test.yaml');
  const tests = all.map(([name, series]) => ({
    interval: '1m',
    input_series: series.map(([text, values]) => ({ series: text, values })),
    // It expects none, so it names those that fire.
    alert_rule_test: [{ eval_time: name === 'PlansGivenUp' ? '35m' : '20m', alertname: name, exp_alerts: [] }],
  }));
  writeFileSync(path, JSON.stringify({ rule_files: [root + file], evaluation_interval: '1m', tests }));
  return promtool(['test', 'rules', path]).said;
}

const rules = [...read(file).matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);

test('every alert has a test', () => {
  expect(Object.keys(cases).toSorted()).toEqual(rules.toSorted());
});

describe.skipIf(!hasPromtool)('promtool (left out where it is not installed)', () => {
  const flat = Object.entries(cases).flatMap(([name, all]) => all.map((each) => ({ name, ...each })));

  test('every alert fires when it should', () => {
    const said = firing(flat.map(({ name, fires }) => [name, fires]));
    const fired = [...said.matchAll(/alertname: (\w+)/g)].map(([, name]) => name);
    expect(fired.toSorted()).toEqual(flat.map(({ name }) => name).toSorted());
  });

  test('no alert fires when it should not', () => {
    expect(firing(flat.map(({ name, silent }) => [name, silent]))).toContain('SUCCESS');
  });
});
