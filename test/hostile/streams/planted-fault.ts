import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { CallerRoom } from '../../../src/live/stream-room.ts';
import { TimeSlices } from '../../../src/time-slices.ts';

// Loaded before a gateway, with the name of a fault behind a question mark: one that the generator must find.
const faults: Readonly<Record<string, () => void>> = {
  'each executes for itself'() {
    const { createServer } = http;
    let count = 0;
    http.createServer = ((...args: Parameters<typeof createServer>) => {
      const handle = args.pop() as unknown as http.RequestListener;
      return createServer(...(args as unknown as []), (req, res) => {
        // The same key to the API, and another text to what may be shared.
        const { authorization = '' } = req.headers;
        const mask = count++;
        req.headers.authorization = authorization.replace(/^bearer/i, (scheme) =>
          scheme
            .split('')
            .map((letter, at) => ((mask >> at) & 1 ? letter.toUpperCase() : letter.toLowerCase()))
            .join(''),
        );
        handle(req, res);
      });
    }) as typeof createServer;
    syncBuiltinESMExports();
  },
  'counts no bytes'() {
    CallerRoom.prototype.hold = () => {};
    CallerRoom.prototype.release = () => {};
    CallerRoom.prototype.holdResult = () => {};
    CallerRoom.prototype.releaseResult = () => {};
  },
  'has no slices'() {
    // All immediates of a round run before anything else has its turn.
    TimeSlices.prototype.add = (work) => void setImmediate(work);
    Object.defineProperty(TimeSlices.prototype, 'isOver', { get: () => false });
  },
};

faults[decodeURIComponent(new URL(import.meta.url).search.slice(1))]?.();
