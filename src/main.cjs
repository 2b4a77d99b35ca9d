#!/usr/bin/env node
// The entry of the process, of `npm start` and of the command of the packed package. It is CommonJS, so that every Node can read it. A Node
// that knows no TypeScript would end at the name of an ES module with a stack trace that does not say what to do.
const { parseArgs } = require('node:util');
const v8 = require('node:v8');
const { engines, scripts, version } = require('../package.json');

// The flags of V8, all in this place but `--v8-pool-size=0`: V8 has its threads before it reads this file, so that command lines have it.
// They are set before the code of the gateway is loaded, since V8 takes no code from the cache that was compiled under others.
const flags = [
  '--no-maglev',
  '--external-memory-accounted-in-global-limit',
  // V8 would allocate objects of requests among the old ones, at places where it has seen some survive. They are dead a millisecond
  // later, but until all memory is collected they keep alive what they refer to: all else of their requests.
  '--no-allocation-site-pretenuring',
  // What the start creates stays, so V8 would give young objects 32 MB by its end, and take none of it back from a process that waits.
  '--semi-space-growth-factor=1',
];

const usage = `Usage: switchboard [options]
       switchboard check [--operations [<client>=]<path>]… [--schema <file>]

  -p, --port <port>      port to listen on (PORT, default 4000)
  -u, --upstream <url>   base address of the API (UPSTREAM_BASE_URL); without it an embedded sandbox answers
      --sandbox          the embedded sandbox answers, whatever UPSTREAM_BASE_URL says
  -v, --version          print the version
  -h, --help             print this help

check reads operations as PERSISTED_OPERATIONS does, and says which of them would break on a schema in SDL, by default that of this
package, and what each may cost. It exits with 1 where one would break, or may cost more than LIMIT_COST.

  -o, --operations <path>  folder or manifest, with the name of its client before it or none (PERSISTED_OPERATIONS)
  -s, --schema <file>      the next schema, such as /schema.graphql of another version

All other settings are environment variables. They are listed in docs/reference/settings.md of this package.`;

const options = {
  port: { type: 'string', short: 'p', multiple: true },
  upstream: { type: 'string', short: 'u', multiple: true },
  sandbox: { type: 'boolean' },
  version: { type: 'boolean', short: 'v' },
  help: { type: 'boolean', short: 'h' },
};

const checkOptions = {
  operations: { type: 'string', short: 'o', multiple: true },
  schema: { type: 'string', short: 's', multiple: true },
  help: { type: 'boolean', short: 'h' },
};

/** The one value of an option; throws where it is empty, as `--upstream=$UNSET` is, or given twice. */
function valueOf(name, [value, ...others] = []) {
  if (others.length > 0) throw new Error(`Option '--${name}' is given more than once.`);
  if (value === '') throw new Error(`Option '--${name}' has no value.`);
  return value;
}

function parseOptions([first, ...rest]) {
  if (first === 'check') {
    const { operations = [], schema, help } = parseArgs({ args: rest, options: checkOptions }).values;
    return { help, check: { operations, schema: valueOf('schema', schema) ?? null } };
  }
  const args = first === undefined ? [] : [first, ...rest];
  const { port, upstream, ...values } = parseArgs({ args, options }).values;
  if (values.sandbox && upstream) throw new Error("Options '--sandbox' and '--upstream' exclude each other.");
  return { ...values, port: valueOf('port', port), upstream: valueOf('upstream', upstream) };
}

/** The options of a command line. Throws where they cannot be understood, with a message for people that ends with the usage. */
function readOptions(args) {
  // A Node that has no parser is too old for more than that.
  if (typeof parseArgs !== 'function') return {};
  try {
    return parseOptions(args);
  } catch (error) {
    // An argument in the wrong place may be a URL with credentials.
    const reason = /^[^:@]{0,400}$/.test(error.message) ? error.message : 'The options cannot be understood.';
    throw new Error(`${reason}\n\n${usage}`, { cause: error });
  }
}

/** Puts options into the environment, whose variables they stand before. */
function applyOptions({ port, upstream, sandbox }, env) {
  if (port !== undefined) env.PORT = port;
  if (upstream !== undefined) env.UPSTREAM_BASE_URL = upstream;
  if (sandbox) delete env.UPSTREAM_BASE_URL;
}

/** What to do where a Node is too old, in one line; null where it is not. Versions are `26`, `26.1` or `26.1.0`. */
function adviceFor(oldest, current, isPackage) {
  const [oldestMajor = 0, oldestMinor = 0] = oldest.split('.').map(Number);
  const [major = 0, minor = 0] = current.split('.').map(Number);
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return null;
  const advice = isPackage
    ? 'install that from https://nodejs.org, and run the command again.'
    : '"npm ci && npm start" brings the right one and uses it.';
  return `Switchboard needs Node ${oldest} or newer, and this is Node ${current}: ${advice}`;
}

/** npx runs the command in a shell. Told to end, it ends that shell alone, and another process becomes the parent of this one. */
function endWithNpx() {
  if (process.env.npm_command !== 'exec') return;
  const parent = process.ppid;
  const look = () => process.ppid === parent || process.kill(process.pid, 'SIGTERM');
  setInterval(look, 1_000).unref();
}

/** Prints what `check` finds. */
async function runCheck(asked) {
  const { check } = await import('./check-operations.ts');
  try {
    const { lines, isSound } = check(asked, process.env);
    console.log(lines.join('\n'));
    process.exitCode = isSound ? 0 : 1;
  } catch (error) {
    console.error(error.name === 'ConfigError' ? error.message : `Switchboard cannot check: ${error.message}`);
    process.exitCode = 1;
  }
}

/** Prints why it cannot go on, and has the process end with this code. */
function refuse(message, exitCode) {
  console.error(message);
  process.exitCode = exitCode;
}

function main() {
  let asked;
  try {
    asked = readOptions(process.argv.slice(2));
  } catch (error) {
    return refuse(error.message, 2);
  }
  if (asked.help) return console.log(usage);
  if (asked.version) return console.log(version);
  // The manifest of the package has no scripts.
  const advice = adviceFor(engines.node.replace('>=', ''), process.versions.node, scripts === undefined);
  if (advice !== null) return refuse(advice, 1);
  if (asked.check !== undefined) return void runCheck(asked.check);
  applyOptions(asked, process.env);
  process.env.NODE_ENV = process.env.NODE_ENV || 'production';
  for (const flag of flags) v8.setFlagsFromString(flag);
  // Workers are started with them.
  process.execArgv.push(...flags);
  endWithNpx();
  void import('./start.ts');
}

module.exports = { flags, readOptions, applyOptions, adviceFor };
if (require.main === module) main();
