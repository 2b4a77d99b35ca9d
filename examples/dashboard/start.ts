import { createServer } from 'vite';
import { startGateway } from './gateway.ts';
import { pageInFrontOf } from './page.ts';

/** Serves the page for development and the gateway behind it from this one process, so that one Ctrl-C ends both. */
async function start(): Promise<void> {
  const gateway = await startGateway(process.env, () => performance.now());
  const page = await createServer(pageInFrontOf(gateway, portOf(process.env['PORT'])));
  let isStopping = false;
  const stop = async (): Promise<void> => {
    if (isStopping) return;
    isStopping = true;
    await page.close();
    await gateway.close();
    process.exit(0);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  await page.listen();
  console.log(`Dashboard at ${page.resolvedUrls?.local[0]}, in front of the gateway at ${gateway.url}/graphql`);
  if (gateway.today !== null)
    console.log('Its data is the sandbox’s. Enter the key sandbox-key, or unknown-account-key.');
}

/** Vite takes the next free port where this one is taken. */
function portOf(text = ''): number {
  if (text === '') return 5173;
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new Error('PORT must be a port number from 0 to 65535');
}

start().catch((error: unknown) => {
  console.error(`The dashboard cannot start: ${(error as Error).message}.`);
  process.exit(1);
});
