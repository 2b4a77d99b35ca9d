import type { Gateway } from './gateway.ts';

const sample = /^switchboard_contract_violations_total\{coordinate="([^"]*)",kind="([^"]*)"\} (\d+)$/gm;

/** How often each promise of the upstream was broken, by `coordinate kind`. */
export async function violationsIn(gateway: Gateway): Promise<Readonly<Record<string, number>>> {
  const text = await (await gateway.fetch('/metrics')).text();
  return Object.fromEntries([...text.matchAll(sample)].map(([, at, kind, count]) => [`${at} ${kind}`, Number(count)]));
}

/** The log lines of contract violations, without what all lines have. */
export function violationLines({ log }: Gateway): readonly object[] {
  return log
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
    .filter(({ msg }) => msg === 'contract violation')
    .map(({ time: _time, service: _service, version: _version, ...line }) => line);
}
