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
    Buffer.allocUnsafe = (length) => {
      const bytes = allocUnsafe(length);
      if (length >= large) setTimeout(() => tryTo(() => JSON.parse(bytes.toString('utf8'))), 100);
      return bytes;
    };
  },
  'writes at once': () => {
    http.ServerResponse.prototype.end = function endLate(this: http.ServerResponse, ...given: unknown[]) {
      if (Number(this.getHeader('content-length') ?? this.writableLength) >= large)
        JSON.stringify(Array(8 * large).fill('text'));
      return Reflect.apply(end, this, given);
    } as typeof http.ServerResponse.prototype.end;
  },
};

function tryTo(act: () => unknown): void {
  try {
    act();
  } catch {
    // Not all of it has come.
  }
}

faults[decodeURIComponent(new URL(import.meta.url).search.slice(1))]?.();
