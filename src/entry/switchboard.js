#!/usr/bin/env node
// The command of the packed package. As main.js, it is CommonJS that every Node can read: main.js says so where a Node is too old.
const { parseArgs } = require('node:util');
const v8 = require('node:v8');
const { version } = require('../../package.json');

const usage = `Usage: switchboard [options]

  -p, --port <port>      port to listen on (PORT, default 4000)
  -u, --upstream <url>   base address of the API (UPSTREAM_BASE_URL); without it an embedded sandbox answers
  -v, --version          print the version
  -h, --help             print this help

All other settings are environment variables: see the README.`;

const options = {
  port: { type: 'string', short: 'p' },
  upstream: { type: 'string', short: 'u' },
  version: { type: 'boolean', short: 'v' },
  help: { type: 'boolean', short: 'h' },
};

/** The options of the command line; null where they cannot be understood. */
function readOptions() {
  // A Node that has no parser is one that main.js refuses.
  if (typeof parseArgs !== 'function') return {};
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    console.error(`${error.message}\n\n${usage}`);
    return null;
  }
}

function run({ help, version: isVersionAsked, port, upstream }) {
  if (help) return console.log(usage);
  if (isVersionAsked) return console.log(version);
  if (port !== undefined) process.env.PORT = port;
  if (upstream !== undefined) process.env.UPSTREAM_BASE_URL = upstream;
  // As `npm start` does.
  process.env.NODE_ENV = process.env.NODE_ENV || 'production';
  // Older versions do not know it, and say so.
  if (Number.parseInt(process.versions.node) >= 26)
    v8.setFlagsFromString('--external-memory-accounted-in-global-limit');
  return require('./main.js');
}

const values = readOptions();
if (values === null) process.exitCode = 2;
else run(values);
