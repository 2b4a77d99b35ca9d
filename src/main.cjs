#!/usr/bin/env node
// The entry of the process, to which src/main.ts is a link, and the command of the packed package. It is CommonJS, so that every Node can
// read it. A Node that knows no TypeScript would end at the name of an ES module with a stack trace that does not say what to do.
const { parseArgs } = require('node:util');
const v8 = require('node:v8');
const { engines, version } = require('../package.json');

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

All other settings are environment variables. They are listed in docs/configuration.md of this package.`;

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

/** The options of the command line; null where they cannot be understood. */
function readOptions() {
  // A Node that has no parser is too old for more than that.
  if (typeof parseArgs !== 'function') return {};
  try {
    if (process.argv[2] === 'check') {
      const {
        operations = [],
        schema,
        help,
      } = parseArgs({ args: process.argv.slice(3), options: checkOptions }).values;
      return { help, check: { operations, schema: valueOf('schema', schema) ?? null } };
    }
    const { port, upstream, ...values } = parseArgs({ options }).values;
    if (values.sandbox && upstream) throw new Error("Options '--sandbox' and '--upstream' exclude each other.");
    return { ...values, port: valueOf('port', port), upstream: valueOf('upstream', upstream) };
  } catch (error) {
    // An argument in the wrong place may be a URL with credentials.
    const reason = /^[^:@]{0,400}$/.test(error.message) ? error.message : 'The options cannot be understood.';
    console.error(`${reason}\n\n${usage}`);
    return null;
  }
}

/** Ends the process where its Node is too old for Switchboard, with one line that says what to do. */
function requireNode() {
  const oldest = engines.node.replace('>=', '');
  const [oldestMajor = 0, oldestMinor = 0] = oldest.split('.').map(Number);
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  const advice = process.argv[1].endsWith('main.ts')
    ? '"npm ci && npm start" brings the right one and uses it.'
    : 'install that from https://nodejs.org, and run the command again.';
  console.error(`Switchboard needs Node ${oldest} or newer, and this is Node ${process.versions.node}: ${advice}`);
  process.exit(1);
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
  const { check } = await import('./check.ts');
  try {
    const { lines, isSound } = check(asked, process.env);
    console.log(lines.join('\n'));
    process.exitCode = isSound ? 0 : 1;
  } catch (error) {
    console.error(error.name === 'ConfigError' ? error.message : `Switchboard cannot check: ${error.message}`);
    process.exitCode = 1;
  }
}

function run({ help, version: isVersionAsked, port, upstream, sandbox, check }) {
  if (help) return console.log(usage);
  if (isVersionAsked) return console.log(version);
  requireNode();
  if (check !== undefined) return void runCheck(check);
  if (port !== undefined) process.env.PORT = port;
  if (upstream !== undefined) process.env.UPSTREAM_BASE_URL = upstream;
  if (sandbox) delete process.env.UPSTREAM_BASE_URL;
  // As `npm start` does.
  process.env.NODE_ENV = process.env.NODE_ENV || 'production';
  v8.setFlagsFromString('--no-maglev');
  // Older versions do not know it, and say so.
  if (Number.parseInt(process.versions.node) >= 26)
    v8.setFlagsFromString('--external-memory-accounted-in-global-limit');
  endWithNpx();
  void import('./start.ts');
}

const values = readOptions();
if (values === null) process.exitCode = 2;
else run(values);
