import { registerHooks, syncBuiltinESMExports } from 'node:module';
import threads from 'node:worker_threads';

// Loaded before a gateway: prints when a thread has handed its pages over, and where GraphiQL is loaded by the gateway's own.
registerHooks({
  load(url, context, nextLoad) {
    if (url.includes('render-graphiql')) console.log('GraphiQL is loaded by the thread that serves');
    return nextLoad(url, context);
  },
});

threads.Worker = class extends threads.Worker {
  constructor(...options: ConstructorParameters<typeof threads.Worker>) {
    super(...options);
    this.once('message', () => console.log('The pages are built'));
  }
};
syncBuiltinESMExports();
