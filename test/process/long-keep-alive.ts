import { Server } from 'node:http';
import { Server as SocketServer } from 'node:net';

// Preloaded into a gateway: it keeps connections for longer than a stop may take, so that a stop which waited for one would show.
Object.assign(Server.prototype, {
  listen(this: Server, ...given: Parameters<Server['listen']>) {
    this.keepAliveTimeout = 60_000;
    return SocketServer.prototype.listen.apply(this, given);
  },
});
