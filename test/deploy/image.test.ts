import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from '../support/gateway.ts';
import { listenOnLoopback } from '../support/http.ts';
import { folder, imageEnvironment, readImage } from './manifest.ts';

const project = join(folder, '..');
const dockerfile = readFileSync(join(folder, 'Dockerfile'), 'utf8');
const { scripts } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

describe('the image', () => {
  test('starts what npm start starts, by the same Node with the same options and settings', () => {
    const [settings = '', command = ''] = (scripts['start'] ?? '').split(' exec node ');
    const [node, ...rest] = JSON.parse(readImage().get('ENTRYPOINT') ?? '[]') as string[];
    expect(node).toBe('/app/node_modules/.bin/node');
    expect(rest.join(' ')).toBe(command);
    const given = Object.fromEntries(settings.split(' ').map((pair) => pair.split('=')));
    expect(imageEnvironment()).toEqual({ ...given, HOST: '0.0.0.0' });
    // The code is compiled beforehand with the same options, which Node's cache tells apart.
    expect(dockerfile).toContain(`node_modules/.bin/node ${command} &`);
  });

  test('copies files that exist, and its builder is sent no others', () => {
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, names = '']) =>
      names.split(' '),
    );
    expect(copied.filter((name) => !existsSync(join(project, name)))).toEqual([]);
    const sent = readFileSync(join(folder, 'Dockerfile.dockerignore'), 'utf8').trim().split('\n');
    expect(sent).toEqual(['*', ...sent.slice(1).map((line) => `!${line.slice(1)}`)]);
    expect(
      sent
        .slice(1)
        .map((line) => line.slice(1))
        .sort(),
    ).toEqual(copied.sort());
  });

  test('runs as a user with a number, and has a health check that needs no shell', () => {
    const image = readImage();
    expect(image.get('USER')).toBe('65532:65532');
    expect(image.get('STOPSIGNAL')).toBe('SIGTERM');
    const [, program = ''] =
      / CMD \["\/app\/node_modules\/\.bin\/node", "\/app\/(.*)"\]$/.exec(image.get('HEALTHCHECK') ?? '') ?? [];
    expect(dockerfile).toContain(`COPY ${program} `);
    expect(existsSync(join(project, program))).toBe(true);
  });
});

describe('its health check', () => {
  const check = (env: Readonly<Record<string, string>>): Promise<number> =>
    new Promise((resolve) => {
      execFile(process.execPath, [join(folder, 'healthcheck.js')], { env }, (error) =>
        resolve(error === null ? 0 : Number(error.code)),
      );
    });

  test('passes at a gateway that is alive, whose API is not', async ({ gateway, upstream }) => {
    upstream.script(() => ({ status: 503, json: {} }));
    const { hostname, port } = new URL(gateway.url);
    expect(await check({ PORT: '1', ADMIN_PORT: port, HOST: '0.0.0.0' })).toBe(0);
    expect(await check({ PORT: `${port}\r`, ADMIN_PORT: ' ', HOST: `${hostname}\r` })).toBe(0);
  });

  const situations = ['nothing listens', 'the process accepts and says nothing', 'another program responds'];
  test.for(situations)('fails where %s', async (what) => {
    const server = createServer((socket) => {
      if (what === 'another program responds') socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n');
    });
    const { origin, close } = await listenOnLoopback(server);
    if (what === 'nothing listens') await close();
    expect(await check({ PORT: new URL(origin).port })).toBe(1);
    await close();
  });
});
