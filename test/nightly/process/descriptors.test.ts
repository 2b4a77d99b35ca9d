import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { get } from '../../support/http.ts';
import { valueOf } from '../../support/metrics.ts';
import { listening, startProgram } from '../../support/process.ts';

// Half of the 400 descriptors, since the calls and the process itself may take the others.
const most = 200;

test.for(['1', '2'])(
  'connections of clients leave descriptors for calls, and those refused are counted: WORKERS=%s',
  async (workers) => {
    await using program = startProgram('test/nightly/process/few-files.cjs', {
      PORT: '0',
      EXPLORER: 'false',
      WORKERS: workers,
    });
    const [, url = ''] = await program.printed(listening);
    const sockets: Socket[] = [];
    const open = async (): Promise<void> => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
      sockets.push(socket);
      await once(socket, 'connect');
    };
    for (let count = 0; count < most * Number(workers) + 10; count++) await open();
    await expect.poll(() => sockets.filter(({ closed }) => closed).length).toBeGreaterThanOrEqual(10);
    await expect.poll(() => program.out).toMatch(/"most":200,"msg":"connections are refused: raise ulimit -n"/);
    expect(program.out).not.toContain('EMFILE');
    // Those that are left are served, calls to the API included, as soon as some leave.
    for (const socket of sockets.splice(0, 20)) socket.destroy();
    await expect
      .poll(() => get(`${url}/graphql?query={missions{totalCount}}`).then(({ text }) => text))
      .toContain('230');
    expect(await valueOf({ url }, 'switchboard_refused_connections_total')).toBeGreaterThanOrEqual(10);
    for (const socket of sockets) socket.destroy();
  },
);
