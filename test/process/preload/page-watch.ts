import programs from 'node:child_process';
import { registerHooks, syncBuiltinESMExports } from 'node:module';

// Loaded before a gateway: prints when a program of its own has ended, and where what builds pages is loaded by the gateway itself.
registerHooks({
  load(url, context, nextLoad) {
    if (/render-graphiql|\/marked\//.test(url)) console.log('A builder of pages is loaded by the process that serves');
    return nextLoad(url, context);
  },
});

type Run = (file: string, args: readonly string[], options: object, done: (...outcome: unknown[]) => void) => unknown;
const run = programs.execFile as Run;
const watched: Run = (file, args, options, done) =>
  run(file, args, options, (...outcome) => {
    console.log('A program has ended');
    done(...outcome);
  });
Object.assign(programs, { execFile: watched });
syncBuiltinESMExports();
