import { expect, test } from 'vitest';
import { startGatewayProgram } from '../support/program.ts';
import { whenReady } from '../support/ready.ts';

const headers = { accept: 'text/html', 'accept-encoding': 'identity' };

test('pages are built once, by another process, before this one is ready', async () => {
  const preload = new URL('page-watch.ts', import.meta.url).href;
  const { program, url } = await startGatewayProgram({ EXPLORER: 'true', NODE_OPTIONS: `--import=${preload}` });
  await using gateway = program;
  expect(await (await fetch(`${url}/ready`)).json()).toEqual({ status: 'starting' });
  await whenReady(url);
  const ended = (): number => gateway.out.split('A program has ended').length - 1;
  expect(ended()).toBe(1);
  for (const path of ['/graphql', '/voyager', ...Array<string>(3).fill('/docs/client-guide.md')])
    expect((await fetch(url + path, { headers })).status).toBe(200);
  expect(ended()).toBe(1);
  expect(gateway.out).not.toContain('by the process that serves');
});
