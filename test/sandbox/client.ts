import { afterAll, beforeAll } from 'vitest';
import type { Sandbox } from '../../src/sandbox/server.ts';
import { startFixedSandbox } from '../support/sandbox.ts';

/** A response of the sandbox, its body as text and as parsed JSON. */
export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  body: any;
}

type Query = Record<string, string>;

/** How the tests of one file speak to their sandbox. */
export interface Client {
  /** GET of a path below the base URL, query parameters percent-encoded. */
  get: (path: string, query?: Query, init?: RequestInit) => Promise<Reply>;
  /** GET with a key of its own; null sends no Authorization header. */
  as: (authorization: string | null, path: string, query?: Query) => Promise<Reply>;
  /** The sandbox's address without its /v2. */
  origin: () => string;
}

/** Starts a sandbox on a free loopback port for the tests of one file. */
export function sandboxClient(): Client {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startFixedSandbox();
  });
  afterAll(async () => {
    await sandbox.close();
  });
  const get: Client['get'] = async (path, query = {}, init = {}) => {
    const search = new URLSearchParams(query).toString();
    const url = `${sandbox.baseUrl}${path}${search === '' ? '' : `?${search}`}`;
    const response = await fetch(url, { headers: { authorization: 'Bearer sandbox-key' }, ...init });
    const text = await response.text();
    const json = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    return { status: response.status, headers: response.headers, text, body: json ? JSON.parse(text) : undefined };
  };
  return {
    get,
    as: (authorization, path, query) => get(path, query, { headers: authorization === null ? {} : { authorization } }),
    origin: () => sandbox.baseUrl.slice(0, -'/v2'.length),
  };
}
