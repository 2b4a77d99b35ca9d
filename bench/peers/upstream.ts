import { Agent } from 'undici';

const { origin, pathname: root } = new URL(process.env['UPSTREAM_BASE_URL'] ?? 'http://upstream.invalid');
const agent = new Agent();

export type Parameters = Readonly<Record<string, string | number>>;

/** Reads `path` of the upstream as JSON. */
export type Fetch = (path: string, parameters: Parameters) => Promise<any>;

/** Reads a path as JSON with a caller's key, by undici's `request`. */
export async function fetchUpstream(path: string, parameters: Parameters, authorization: string): Promise<any> {
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  const { statusCode, body } = await agent.request({
    origin,
    path: `${root}${path}?${query.join('&')}`,
    method: 'GET',
    headers: { accept: 'application/json', authorization },
  });
  if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}.`);
  return body.json();
}
