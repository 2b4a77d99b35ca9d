import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';

/** For packages beside this one, which have no browser of their own. */
export type { Locator, Page, Request, Route } from 'playwright-core';

type Environment = Record<string, string>;

/** A browser binary, and what it needs in its environment beyond our own. */
interface Binary {
  readonly path: string;
  readonly environment: Environment;
}

/** A Chromium that any process of this machine may connect to by its address; `close` removes everything that it left on disk. */
export type ChromiumServer = Awaited<ReturnType<typeof startServer>>;

/** A context of a Chromium, with nothing kept from others; `close` ends it. */
export type Chromium = Awaited<ReturnType<typeof connect>>;

const systemPaths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/**
 * Starts the first Chromium that runs: the one at CHROMIUM_PATH, the system's, the one unpacked from node_modules.
 * Rejects with instructions where there is none.
 */
export async function startServer() {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-browser-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 5 });
  try {
    const { path, environment } = await findBinary(folder);
    const server = await chromium.launchServer({
      host: '127.0.0.1',
      executablePath: path,
      env: { ...process.env, ...environment },
      headless: true,
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    });
    return {
      address: server.wsEndpoint(),
      async close() {
        await server.close();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Opens a context of a running Chromium. */
export async function connect(address: string) {
  const browser = await chromium.connect(address);
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  context.setDefaultTimeout(30_000);
  return { context, close: () => browser.close() };
}

/** Starts a Chromium of one's own; `close` ends it. */
export async function startChromium(): Promise<Chromium> {
  const server = await startServer();
  const { context } = await connect(server.address);
  return { context, close: () => server.close() };
}

/** Finds the Chromium that runs; `folder` is for what is unpacked. */
export async function findBinary(folder: string): Promise<Binary> {
  const named = process.env['CHROMIUM_PATH'] ?? '';
  const paths = named === '' ? systemPaths.filter((path) => existsSync(path)) : [named];
  const faults: string[] = [];
  for (const path of paths) {
    const fault = await faultOf({ path, environment: {} });
    if (fault === null) return { path, environment: {} };
    faults.push(fault);
  }
  if (named !== '')
    throw new Error(`CHROMIUM_PATH must be the executable of a Chromium, or be unset: ${faults.join('')}`);
  try {
    const unpacked = await unpack(folder);
    const fault = await faultOf(unpacked);
    if (fault === null) return unpacked;
    faults.push(fault);
  } catch (error) {
    faults.push(String(error));
  }
  throw new Error(
    `No Chromium runs on this machine. Install one (Debian: apt-get install chromium), or set CHROMIUM_PATH to its ` +
      `executable. Tried: ${faults.join('; ')}`,
  );
}

/** The failure of `--version`; null where the binary printed it. */
async function faultOf({ path, environment }: Binary): Promise<string | null> {
  try {
    await promisify(execFile)(path, ['--version'], { env: { ...process.env, ...environment }, timeout: 60_000 });
    return null;
  } catch (error) {
    const { message } = error as Error;
    return `${path}: ${message.trim().split('\n').at(-1)}`;
  }
}

/** Unpacks the Chromium of `@sparticuz/chromium` (Linux x64), with the libraries and the font that it brings for bare systems. */
async function unpack(folder: string): Promise<Binary> {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error(`@sparticuz/chromium has no binary for ${process.platform} ${process.arch}`);
  const { default: pack, inflate } = await import('@sparticuz/chromium');
  const libraries = fileURLToPath(new URL('../bin/al2023.tar.br', import.meta.resolve('@sparticuz/chromium')));
  // It unpacks into the system's temporary folder and believes whatever it finds there, even half a binary.
  const usual = process.env['TMPDIR'];
  process.env['TMPDIR'] = folder;
  try {
    const [path] = await Promise.all([pack.executablePath(), inflate(libraries)]);
    const fontsFile = join(folder, 'fonts.conf');
    await writeFile(fontsFile, fontsConfig(folder));
    return { path, environment: { LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'), FONTCONFIG_FILE: fontsFile } };
  } finally {
    if (usual === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = usual;
  }
}

/** The system's fonts where it has any, and the one that came along: its own configuration looks for it in /tmp alone. */
function fontsConfig(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${join(folder, 'fonts')}</dir>
  <cachedir>${join(folder, 'fonts-cache')}</cachedir>
</fontconfig>
`;
}
