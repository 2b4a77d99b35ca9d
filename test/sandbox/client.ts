import { afterAll, beforeAll } from 'vitest';
import type { Sandbox } from '../../src/sandbox/server.ts';
import type { Json } from '../support/records.ts';
import { startFixedSandbox } from '../support/sandbox.ts';

export type { Json };

type Query = Readonly<Record<string, string | number>>;

/** GET of a path below a base URL, with percent-encoded parameters; its body as text and as JSON. */
export async function ask(baseUrl: string, path: string, query: Query = {}, key = 'sandbox-key') {
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const response = await fetch(`${baseUrl}${path}?${search}`, { headers: { authorization: `Bearer ${key}` } });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  const body: Json = isJson ? JSON.parse(text) : undefined;
  return { status: response.status, headers: response.headers, text, body };
}

/** An amount in ten-thousandths, read from its text. */
export function unitsOf(amount: string): bigint {
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)\.(\d{1,4})$/.exec(amount) ?? [];
  return BigInt(`${sign}${whole}${fraction.padEnd(4, '0')}`);
}

/** Starts a sandbox for the tests of one file, which change nothing of it. */
export function sandboxClient() {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startFixedSandbox();
  });
  afterAll(() => sandbox.close());
  const read = new Map<string, Promise<readonly Json[]>>();

  const get = (path: string, query?: Query, key?: string) => ask(sandbox.baseUrl, path, query, key);

  /** The status of a refusal, with the code and the source of its first error. */
  async function refusalOf(path: string, query: Query, key?: string): Promise<readonly unknown[]> {
    const { status, body } = await get(path, query, key);
    return [status, body.errors?.[0].code, body.errors?.[0].source];
  }

  async function readAll(path: string): Promise<readonly Json[]> {
    const pages: Awaited<ReturnType<typeof get>>[] = [];
    do pages.push(await get(path, { 'page[size]': 250, 'page[number]': pages.length + 1 }));
    while (pages.length < pages[0]?.body.meta.total_pages);
    return pages.flatMap(({ body }) => body.data);
  }

  /** All rows of a list, read once, page by page. */
  const everyRow = (path: string) => read.getOrInsertComputed(path, readAll);

  return { get, everyRow, refusalOf, origin: () => new URL(sandbox.baseUrl).origin };
}
