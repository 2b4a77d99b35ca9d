import { expect, test, type Gateway } from '../../support/gateway.ts';
import { openSocket } from '../../support/streams.ts';

const preflight = (origin: string): RequestInit => ({
  method: 'OPTIONS',
  headers: {
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization,content-type',
  },
});
const corsHeaders = ({ headers }: Response): string[] =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-'));

const paths = ['/graphql', '/schema.graphql', '/voyager', '/exports/charges-breakdown.csv', '/health', '/metrics'];

test.for(paths)('opens %s to no other origin by default', async (path, { gateway }) => {
  for (const origin of ['https://evil.example', 'null', gateway.url]) {
    const asked = await gateway.fetch(path, preflight(origin));
    expect(asked.status).toBe(405);
    expect(corsHeaders(asked)).toEqual([]);
    expect(corsHeaders(await gateway.fetch(path, { headers: { origin } }))).toEqual([]);
  }
  expect(corsHeaders(await gateway.post({ query: '{ __typename }' }, { origin: 'https://evil.example' }))).toEqual([]);
});

/** What a page of an origin may: to ask first, to read the response, to open a WebSocket. */
async function rightsOf(gateway: Gateway, origin: string): Promise<readonly boolean[]> {
  const asked = await gateway.fetch('/graphql', preflight(origin));
  const answered = await gateway.post({ query: '{ __typename }' }, { origin });
  const socket = await openSocket(gateway, { headers: { origin } }).catch(() => null);
  socket?.ws.close();
  const isOpen = ({ headers }: Response): boolean => headers.get('access-control-allow-origin') === origin;
  return [isOpen(asked), isOpen(answered), socket !== null];
}
const every = [true, true, true];
const no = [false, false, false];

test.for(['capacitor://localhost', 'chrome-extension://abcdefghijklmnopabcdefghijklmnop', 'file://'])(
  'opens to the app at %s, and to no other of its scheme',
  async (origin, { startWith }) => {
    const gateway = await startWith({ CORS_ORIGINS: `https://app.example.com, ${origin}` });
    for (const open of [origin, 'https://app.example.com']) {
      expect(await rightsOf(gateway, open)).toEqual(every);
      const { headers } = await gateway.fetch('/graphql', preflight(open));
      expect(headers.get('access-control-allow-methods')).toBe('GET,POST,QUERY');
      expect(headers.get('access-control-allow-headers')).toBe('authorization,content-type');
      expect(headers.get('vary')).toMatch(/\borigin\b/i);
      expect(headers.has('access-control-allow-credentials')).toBe(false);
    }
    const others = [`${new URL(origin).protocol}//other.example`, `${origin}x`, `${origin}/`, 'http://app.example.com'];
    for (const other of [...others, 'https://APP.example.com', 'null'])
      expect(await rightsOf(gateway, other), other).toEqual(no);
  },
);

const ofThisMachine = ['http://localhost', 'http://localhost:5173', 'http://127.0.0.1:3000', 'http://[::1]:8080'];
const ofOthers = [
  'https://evil.example',
  'http://localhost.evil.example',
  'http://localhost:',
  'http://user@localhost',
];

test('before the sandbox, opens to all origins of this machine, at any port', async ({ startWith }) => {
  const gateway = await startWith({}, { isSandbox: true });
  for (const origin of [...ofThisMachine, 'capacitor://localhost'])
    expect(await rightsOf(gateway, origin), origin).toEqual(every);
  for (const origin of [...ofOthers, 'http://LOCALHOST:5173', 'null'])
    expect(await rightsOf(gateway, origin), origin).toEqual(no);
});

test('before an API, or with CORS_ORIGINS, opens to none of this machine that is not named', async ({ startWith }) => {
  const gateways = [
    await startWith({}),
    await startWith({ CORS_ORIGINS: 'http://localhost:5173' }),
    await startWith({ CORS_ORIGINS: 'http://localhost:5173' }, { isSandbox: true }),
  ];
  for (const gateway of gateways)
    for (const origin of ofThisMachine.filter((each) => each !== 'http://localhost:5173'))
      expect(await rightsOf(gateway, origin), origin).toEqual(no);
});

test('logs each origin that it refuses once, with the setting that would name it', async ({ startWith }) => {
  const gateway = await startWith({ CORS_ORIGINS: 'https://app.example.com' });
  const own = new URL(gateway.url).origin;
  for (const origin of ['https://app.example.com', 'https://other.example.com', own, 'https://other.example.com'])
    await rightsOf(gateway, origin);
  const lines = gateway.log.filter((line) => line.includes('CORS_ORIGINS'));
  expect(lines.map((line) => (JSON.parse(line) as { readonly origin: string }).origin)).toEqual([
    'https://other.example.com',
  ]);
});
