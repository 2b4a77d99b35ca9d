import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { describe, expect, test } from 'vitest';

/** Source texts by path below the project's root, e.g. `src/http/router.ts`. */
type Files = Readonly<Record<string, string>>;

interface Import {
  readonly from: string;
  /** A path of ours, or the name of a package. */
  readonly to: string;
  readonly isType: boolean;
}

/** Leaves: they import nothing of ours but leaves, and all but the sandbox may import them. */
const leaves: readonly string[] = ['body-chunks', 'bounds', 'cancellation', 'errors', 'json', 'moment', 'time-slices'];

/** The layers that each layer may import besides itself and the leaves; those behind `type` as types alone. */
const layers: Readonly<Record<string, { readonly may: readonly string[]; readonly types?: readonly string[] }>> = {
  ...Object.fromEntries(leaves.map((leaf) => [leaf, { may: [] }])),
  'body-chunks': { may: ['bounds', 'time-slices'] },
  cancellation: { may: ['errors'] },
  'time-slices': { may: ['bounds', 'cancellation'] },
  config: { may: [] },
  telemetry: { may: [], types: ['config'] },
  paging: { may: [] },
  upstream: { may: ['telemetry'], types: ['config'] },
  lists: { may: ['paging', 'upstream'], types: ['config'] },
  live: {
    may: ['lists', 'paging', 'resources/delivery-owner', 'resources/webhook-delivery', 'upstream'],
    types: ['config', 'generated/records'],
  },
  // Endpoints are data: resolvers name them, and loaders alone send calls.
  graphql: {
    // The transcoder's rows come with the counts of their list, read as those of parsed bodies are.
    may: ['generated/records', 'lists', 'paging', 'transcoder', 'upstream/endpoint', 'upstream/response/envelope'],
    types: ['generated', 'live/stream', 'upstream'],
  },
  // Decimals and periods.
  billing: { may: [] },
  limits: { may: ['graphql/document'], types: ['config', 'graphql/nodes', 'upstream/endpoint'] },
  // What knows charges, connections, missions and deliveries.
  resources: {
    may: ['billing', 'generated/resources', 'graphql', 'limits', 'lists', 'paging', 'upstream'],
    types: ['generated'],
  },
  generated: { may: ['resources', 'sandbox'], types: ['graphql/context', 'paging'] },
  // What replicas share: upstream and live say what they need of it, as types.
  fleet: { may: ['live/feed-share'], types: ['config', 'generated/records', 'live', 'telemetry', 'upstream'] },
  http: {
    may: ['billing/date-interval', 'telemetry', 'graphql', 'limits'],
    types: ['config', 'live', 'upstream/response/rate-limit-fields'],
  },
  // All pages for a browser: nothing but what composes a gateway imports them.
  explorer: { may: ['generated', 'http'] },
  mcp: { may: ['http', 'limits', 'graphql/document'], types: ['config'] },
  // Its program reads settings as the gateway does.
  sandbox: { may: ['config', 'generated/sandbox-routes'] },
  // Its source is no TypeScript: what it is compiled to is read as a file.
  transcoder: { may: [] },
  'request-context': {
    may: ['http', 'lists', 'live', 'resources/charges/charges-breakdown', 'upstream'],
    types: ['config', 'graphql', 'telemetry'],
  },
  // It composes a gateway of all parts.
  app: {
    may: [
      'explorer',
      'fleet/fleet',
      'graphql',
      'http',
      'limits',
      'live',
      'mcp',
      'request-context',
      'resources/schema',
      'telemetry',
      'upstream',
    ],
    types: ['config', 'fleet/shared-store'],
  },
  // The program of a worker composes a gateway of its own, and its warm-up two more, before the sandbox.
  workers: { may: ['app', 'config', 'explorer', 'sandbox', 'telemetry'], types: ['fleet', 'http/endpoints'] },
  // What tests of other projects import.
  testing: { may: ['app', 'config', 'sandbox', 'telemetry'] },
  'check-operations': { may: ['config', 'graphql', 'http/documents', 'limits', 'resources/schema'] },
  start: { may: ['app', 'config', 'sandbox', 'telemetry', 'workers'] },
};

/** Packages that have one room, or rooms in which they have no business. */
const packages: Readonly<Record<string, (path: string) => boolean>> = {
  undici: (path) => /^src\/(?:upstream\/transport(?:\.ts|\/)|workers\/warm-up\.ts$)/.test(path),
  dataloader: (path) => path.startsWith('src/lists/'),
  graphql: (path) => !/^src\/(?:upstream|lists|live|paging|telemetry|sandbox)\//.test(path),
  'graphql-yoga': (path) => path.startsWith('src/http/'),
  ...Object.fromEntries(
    ['api', 'core', 'resources', 'sdk-trace', 'exporter-trace-otlp-http', 'exporter-trace-otlp-proto'].map((name) => [
      `@opentelemetry/${name}`,
      (path: string) => path === 'src/telemetry/tracing.ts',
    ]),
  ),
  '@modelcontextprotocol/server': (path) => path === 'src/mcp/protocol.ts',
  redis: (path) => path === 'src/fleet/redis.ts',
};

const statement = /^\s*(?:import|export)\s+(type\s)?(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm;
const dynamic = /\bimport\('([^']+)'\)/g;

function importsOf(files: Files): readonly Import[] {
  return Object.entries(files).flatMap(([from, text]) => {
    const resolve = (name: string): string => {
      const to = name.startsWith('.') ? join(dirname(from), name) : name;
      // AssemblyScript names its files without their endings.
      return `${to}.ts` in files ? `${to}.ts` : to;
    };
    const fixed = [...text.matchAll(statement)].map(([, type, name = '']) => ({
      from,
      to: resolve(name),
      isType: type !== undefined,
    }));
    const late = [...text.matchAll(dynamic)].map(([, name = '']) => ({ from, to: resolve(name), isType: false }));
    return [...fixed, ...late];
  });
}

const layerOf = (path: string): string => /^src\/([^/.]+)/.exec(path)?.[1] ?? '';
const isOurs = (path: string): boolean => path.startsWith('src/');

/** Whether `path` is the module, or stands in the folder, that a rule names. */
const isIn = (path: string, place: string): boolean => path === `src/${place}.ts` || path.startsWith(`src/${place}/`);

function layerFaults(files: Files): readonly string[] {
  return importsOf(files)
    .filter(({ from, to }) => isOurs(from) && isOurs(to) && layerOf(from) !== layerOf(to))
    .flatMap(({ from, to, isType }) => {
      const layer = layerOf(from);
      const { may, types = [] } = layers[layer] ?? { may: [] };
      const shared = layer === 'sandbox' || leaves.includes(layer) ? [] : leaves;
      if ([...may, ...shared, ...(isType ? types : [])].some((place) => isIn(to, place))) return [];
      return [
        `${from} imports ${to}: ${layer} may import ${may.length === 0 ? 'nothing of ours' : may.join(', ')}${types.length === 0 ? '' : ` (and types of ${types.join(', ')})`}.`,
      ];
    });
}

function packageFaults(files: Files): readonly string[] {
  return importsOf(files)
    .filter(({ from, to }) => isOurs(from) && packages[to]?.(from) === false)
    .map(({ from, to }) => `${from} imports ${to}, which has no place there.`);
}

const vague = /(?:^|[/.-])(?:utils?|helpers?|managers?|misc|common|lib)(?=[/.-])/;

const root = new URL('../../', import.meta.url);
const read = (folder: string): Files =>
  Object.fromEntries(
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.includes('node_modules/'))
      .map((name) => [`${folder}${name}`, readFileSync(new URL(folder + name, root), 'utf8')]),
  );

describe('the code', () => {
  const files = read('src/');
  const client = read('client/src/');

  test('is read whole', () => {
    expect(Object.keys(files)).toEqual(expect.arrayContaining(['src/start.ts', 'src/http/router.ts']));
    expect([...new Set(Object.keys(files).map(layerOf))].filter((layer) => !Object.hasOwn(layers, layer))).toEqual([]);
    expect(importsOf(files).length).toBeGreaterThan(100);
  });

  test('imports from layer to layer as the house allows', () => expect(layerFaults(files)).toEqual([]));
  test('keeps packages in their rooms', () => expect(packageFaults(files)).toEqual([]));
  test('has a client that imports nothing but its own files, and React for its hooks', () => {
    const others = importsOf(client).filter(({ to }) => !to.startsWith('client/src/'));
    expect(others).toMatchObject([{ from: 'client/src/react.ts', to: 'react' }]);
    expect(importsOf(client).length).toBeGreaterThan(5);
  });
  test('has folders in kebab-case, as the linter has files, and no helpers or managers', () => {
    const paths = [files, client, read('test/')].flatMap((each) => Object.keys(each));
    // Generated files have the names that their tool gives them.
    const own = paths.filter((path) => !/\/(?:generated|\.houdini)\//.test(path));
    expect(own.filter((path) => vague.test(path) || !/^(?:[a-z0-9.-]+\/)+[^/]+$/.test(path))).toEqual([]);
  });
});
