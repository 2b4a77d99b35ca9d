import { createServer, type AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { askAll, nothing, open } from '../../shared-state/scripted-store.ts';

/** What a store begins, and what it sends behind that for ever: of each kind of value that a client has to hold or to skip. */
const endless: readonly (readonly [begun: string, unit: string])[] = [
  ['$999999999\r\n', 'x'],
  ['>3\r\n$7\r\nmessage\r\n$1\r\na\r\n$999999999\r\n', 'x'],
  ['-', 'x'],
  [':', '1'],
  ['', '*1\r\n'],
  ['', '-MOVED 1 127.0.0.1:1\r\n'],
  ['*1000000000\r\n', ':1\r\n'],
  ['', 'no word of Redis\r\n'],
];

test.for([0, 1])(
  'a store that sends anything for ever after %d replies is not read, and is tried again',
  async (polite) => {
    const flood = 67_108_864;
    const mostTaken = 16_777_216;
    await Promise.all(
      endless.map(async ([begun, unit]) => {
        const block = Buffer.from(unit.repeat(Math.ceil(65_536 / unit.length)));
        const taken: number[] = [];
        const server = createServer((socket) => {
          let received = 0;
          let sent = 0;
          const send = (): void => {
            if (sent < flood && !socket.destroyed)
              socket.write(block, () => {
                sent += block.length;
                send();
              });
          };
          socket.on('error', () => {}).once('close', () => taken.push(sent));
          socket.on('data', () => {
            if (received++ < polite) return socket.write('%1\r\n$5\r\nproto\r\n:3\r\n');
            if (received === polite + 1) socket.write(begun, send);
            return undefined;
          });
        });
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
        const { isUp, store } = open(`redis://127.0.0.1:${(server.address() as AddressInfo).port}`);
        await expect.poll(() => taken.length, { timeout: 60_000 }).toBeGreaterThan(1);
        expect(Math.max(...taken)).toBeLessThan(mostTaken);
        expect(isUp()).toBe(false);
        expect(await askAll(store)).toEqual(nothing);
        store.close();
        server.close();
      }),
    );
  },
);
