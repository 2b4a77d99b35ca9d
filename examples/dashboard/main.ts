import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Installs what the page needs and starts it, in this one process: a shell between npm and the dashboard would end alone when
 * npm is told to stop. Only Node's own modules may be imported before the installation.
 */
async function main(): Promise<void> {
  await install();
  await import('./start.ts');
}

async function install(): Promise<void> {
  const npm = process.env['npm_execpath'];
  const [program, first] = npm === undefined ? ['npm', []] : [process.execPath, [npm]];
  const child = spawn(program, [...first, 'install', '--no-save'], { cwd: import.meta.dirname, stdio: 'inherit' });
  const stop = (signal: NodeJS.Signals): void => {
    child.kill(signal);
    process.exit(0);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  const [code] = (await once(child, 'exit')) as [number | null];
  process.off('SIGTERM', stop);
  process.off('SIGINT', stop);
  if (code !== 0) process.exit(code ?? 1);
}

main().catch((error: unknown) => {
  console.error(`The dashboard cannot be installed: ${(error as Error).message}.`);
  process.exit(1);
});
