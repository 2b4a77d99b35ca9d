import { readOnly, sendJson, type Endpoints } from '../http/endpoint.ts';

/** How the gateway is reached, and whose tokens the API takes. */
export interface ResourceOptions {
  readonly publicUrl: string | null;
  readonly authorizationServers: readonly string[] | null;
  /** Whether there are tools; null means no. */
  readonly mcp: boolean | null;
}

/** What clients find out about the keys of a resource (RFC 9728). */
export interface ResourceMetadata {
  /** None where the settings are not set. */
  readonly endpoints: Endpoints;
  /** The `WWW-Authenticate` that leads to the document of the tool server; null where there is none. */
  readonly challenge: string | null;
}

const wellKnown = '/.well-known/oauth-protected-resource';
const toolServer = '/mcp';

/** Creates the metadata of the gateway, and of its tool server where there is one. */
export function createResourceMetadata({ publicUrl, authorizationServers, mcp }: ResourceOptions): ResourceMetadata {
  if (publicUrl === null || authorizationServers === null) return { endpoints: {}, challenge: null };
  const hasTools = mcp === true;
  const { origin, pathname } = new URL(publicUrl);
  // The path of the resource follows the well-known one (RFC 9728, section 3.1).
  const base = pathname === '/' ? '' : pathname;
  const documentOf = (path: string) => ({
    resource: publicUrl + path,
    authorization_servers: authorizationServers,
    bearer_methods_supported: ['header'],
    resource_name: 'Switchboard',
  });
  const paths = hasTools ? ['', toolServer] : [''];
  const endpoints = paths.flatMap((path) => {
    const handle = readOnly(({ res }) => sendJson(res, 200, documentOf(path)));
    return [[wellKnown + path, handle] as const, [wellKnown + base + path, handle] as const];
  });
  const challenge = `Bearer resource_metadata="${origin}${wellKnown}${base}${toolServer}"`;
  return { endpoints: Object.fromEntries(endpoints), challenge: hasTools ? challenge : null };
}
