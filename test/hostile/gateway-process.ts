import { listening, startProgram, type Ending, type Program } from '../support/program.ts';
import { refusal, startScriptedUpstream, type Script, type ScriptedUpstream } from '../support/scripted-upstream.ts';
import { askAsGoodCaller, goodCallerScript, isGoodCall } from './good-caller.ts';
import { glanceAt, readGateway, type Glance, type Reading } from './reading.ts';

export interface GatewayOptions {
  /** Settings, as the environment would give them. */
  readonly env?: Readonly<Record<string, string>>;
  /** The upstream's replies to all but the good caller; 401 without a script. */
  readonly script?: Script;
  /** Another upstream than the scripted one, which then stays unused. */
  readonly upstreamBaseUrl?: string;
  /** Whether it has pages, which take a second to build. */
  readonly hasPages?: boolean;
  /** How large the heap may grow before the process dies of it. */
  readonly heapMiB?: number;
  /** Modules that are loaded before the gateway: faults to be found. */
  readonly preloads?: readonly URL[];
}

/** A gateway in a process of its own, to be treated badly. */
export interface GatewayProcess extends AsyncDisposable {
  readonly url: string;
  readonly upstream: ScriptedUpstream;
  readonly program: Program;
  /** How the process ended; null while it lives. */
  readonly ended: Ending | null;
  /** Null where the good caller gets the right response in time, else the fault. */
  askAsGoodCaller(): Promise<string | null>;
  /** Its own metrics, and its memory once its garbage is collected; one reading at a time. */
  read(): Promise<Reading>;
  /** Its own metrics alone, which costs little. */
  glance(): Promise<Glance>;
}

const refuse: Script = () => refusal(401, '10009', 'Authentication failed');

/** Starts one before a scripted upstream on loopback, and waits until it listens and has served the good caller. */
export async function startHostileGateway(options: GatewayOptions = {}): Promise<GatewayProcess> {
  const { env = {}, script = refuse, upstreamBaseUrl, heapMiB = 512, preloads = [], hasPages = false } = options;
  const upstream = await startScriptedUpstream();
  upstream.script((request) => (isGoodCall(request) ? goodCallerScript(request) : script(request)));
  const program = startProgram('test/soak/gateway.ts', {
    PORT: '0',
    LOG_LEVEL: 'error',
    EXPLORER: String(hasPages),
    UPSTREAM_BASE_URL: upstreamBaseUrl ?? upstream.baseUrl,
    NODE_OPTIONS: [`--max-old-space-size=${heapMiB}`, ...preloads.map((url) => `--import=${url.href}`)].join(' '),
    ...env,
  });
  let ended: Ending | null = null;
  void program.ending.then((ending) => (ended = ending));
  const [, url = ''] = await program.printed(listening);
  const fault = await askAsGoodCaller(url);
  if (fault !== null) throw new Error(`The gateway does not serve: ${fault}; ${program.err}`);
  // By then the pages are built, which stay in its memory.
  if (hasPages) await fetch(`${url}/ready`);
  return {
    url,
    upstream,
    program,
    get ended() {
      return ended;
    },
    askAsGoodCaller: () => askAsGoodCaller(url),
    read: () => readGateway(program, url),
    glance: () => glanceAt(url),
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]();
      await upstream.close();
    },
  };
}
