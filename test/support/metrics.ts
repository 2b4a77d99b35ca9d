import { expect, type Gateway } from './gateway.ts';

/** Whatever serves `/metrics`: a gateway of this process, or one of another. */
export interface Served {
  readonly url: string;
}

/** One sample of Prometheus text. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const sampleLine = /^([a-z_:][\w:]*)(?:\{(.*)\})? (\S+)$/i;
const label = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** The Prometheus text of a gateway. */
export async function scrape({ url }: Served): Promise<string> {
  // A connection of its own: of several workers, the system chooses the one that answers.
  const response = await fetch(`${url}/metrics`, { headers: { connection: 'close' } });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4\b/);
  return response.text();
}

/** The samples of Prometheus text. */
export function samplesOf(text: string): readonly Sample[] {
  return text
    .split('\n')
    .filter((each) => each !== '' && !each.startsWith('#'))
    .map((each) => {
      const [, name = '', labels = '', value = ''] = sampleLine.exec(each) ?? [];
      const pairs = [...labels.matchAll(label)].map(([, key = '', text_ = '']) => [key, text_] as const);
      return { name, labels: Object.fromEntries(pairs), value: Number(value) };
    });
}

/** The value of the first sample of a name with these labels, and maybe others; undefined where there is none. */
export async function valueOf(gateway: Served, name: string, labels: Sample['labels'] = {}) {
  return samplesOf(await scrape(gateway)).find(
    (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  )?.value;
}

/** The values of all samples of a name, by their labels of these names: `label other`. */
export async function valuesBy(gateway: Served, name: string, ...labels: readonly string[]) {
  const samples = samplesOf(await scrape(gateway)).filter((sample) => sample.name === name);
  const keyOf = (sample: Sample): string => labels.map((each) => sample.labels[each]).join(' ');
  return Object.fromEntries(samples.map((sample) => [keyOf(sample), sample.value]));
}

/** How many requests for GraphQL a gateway has served on the fast path. */
export async function directs(gateway: Served): Promise<number> {
  return (await valueOf(gateway, 'switchboard_graphql_requests_total', { route: 'direct' })) ?? 0;
}

/** How often each promise of the upstream was broken, by `coordinate kind`. */
export const violationsIn = (gateway: Served) =>
  valuesBy(gateway, 'switchboard_contract_violations_total', 'coordinate', 'kind');

/** The log lines of contract violations, without what all lines have. */
export function violationLines({ log }: Pick<Gateway, 'log'>): readonly object[] {
  return log
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
    .filter(({ msg }) => msg === 'contract violation')
    .map(({ time: _time, service: _service, version: _version, ...line }) => line);
}
