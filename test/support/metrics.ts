import { expect, type Gateway } from './gateway.ts';

/** One sample of Prometheus text. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const line = /^([a-z_:][\w:]*)(?:\{(.*)\})? (\S+)$/i;
const label = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/** The Prometheus text of a gateway. */
export async function scrape(gateway: Gateway): Promise<string> {
  const response = await gateway.fetch('/metrics');
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
      const [, name = '', labels = '', value = ''] = line.exec(each) ?? [];
      const pairs = [...labels.matchAll(label)].map(([, key = '', text_ = '']) => [key, text_] as const);
      return { name, labels: Object.fromEntries(pairs), value: Number(value) };
    });
}

/** The value of the first sample of a name with these labels, and maybe others; undefined where there is none. */
export async function valueOf(gateway: Gateway, name: string, labels: Sample['labels'] = {}) {
  return samplesOf(await scrape(gateway)).find(
    (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  )?.value;
}

/** How many operations a gateway has written from the bytes of the upstream. */
export async function writtenFromBytes(gateway: Gateway): Promise<number> {
  return (await valueOf(gateway, 'switchboard_operations_total', { way: 'bytes' })) ?? 0;
}
