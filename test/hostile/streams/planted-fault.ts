import http from 'node:http';
import { CallerRoom } from '../../../src/live/stream-room.ts';
import { TimeSlices } from '../../../src/time-slices.ts';

// Loaded before a gateway, with the name of a fault behind a question mark: one that the generator must find.
const faults: Readonly<Record<string, () => void>> = {
  'each executes for itself'() {
    // It is called on a server.
    // oxlint-disable-next-line typescript/unbound-method
    const emit: (this: http.Server, event: string, ...args: unknown[]) => boolean = http.Server.prototype.emit;
    let count = 0;
    http.Server.prototype.emit = function (this: http.Server, event: string, ...args: unknown[]) {
      if (event !== 'request') return emit.call(this, event, ...args);
      const [{ headers }] = args as [http.IncomingMessage];
      // The same key to the API, and another text to what may be shared.
      const { authorization = '' } = headers;
      const mask = count++;
      headers.authorization = authorization.replace(/^bearer/i, (scheme) =>
        scheme
          .split('')
          .map((letter, at) => ((mask >> at) & 1 ? letter.toUpperCase() : letter.toLowerCase()))
          .join(''),
      );
      return emit.call(this, event, ...args);
    };
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
