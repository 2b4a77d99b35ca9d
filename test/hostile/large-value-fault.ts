import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

// Loaded before a gateway, with the name of the fault behind a question mark: what the generator of large values must find.
const large = 1_048_576;
const allocUnsafe = Buffer.allocUnsafe.bind(Buffer);
const end = Reflect.get(http.ServerResponse.prototype, 'end') as (...given: unknown[]) => http.ServerResponse;

const faults: Readonly<Record<string, () => void>> = {
  'never rests': () => {
    timers.setImmediate = (async () => {}) as unknown as typeof timers.setImmediate;
    syncBuiltinESMExports();
  },
  'parses at once': () => {
    let body: Buffer | undefined;
    Buffer.allocUnsafe = (length) => {
      const bytes = allocUnsafe(length);
      if (length >= large) body = bytes;
      return bytes;
    };
    beforeEnd(() => {
      if (body !== undefined) tryTo(() => JSON.parse(String(body)));
    });
  },
  'writes at once': () => {
    beforeEnd((res) => {
      if (Number(res.getHeader('content-length') ?? res.writableLength) >= large)
        JSON.stringify(Array(8 * large).fill('text'));
    });
  },
};

/** By the end of a response all bytes of the body behind it have come. */
function beforeEnd(act: (res: http.ServerResponse) => void): void {
  http.ServerResponse.prototype.end = function endLate(this: http.ServerResponse, ...given: unknown[]) {
    act(this);
    return Reflect.apply(end, this, given);
  } as typeof http.ServerResponse.prototype.end;
}

function tryTo(act: () => unknown): void {
  try {
    act();
  } catch {
    // These bytes were no body.
  }
}

faults[decodeURIComponent(new URL(import.meta.url).search.slice(1))]?.();
