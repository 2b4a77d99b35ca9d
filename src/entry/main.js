// The entry of the process, to which src/main.ts is a link. It is JavaScript in a CommonJS package of its own, so that every Node can
// read it. A Node that knows no TypeScript would end at the name of an ES module with a stack trace that does not say what to do.
const { engines } = require('../../package.json');

const oldest = engines.node.replace('>=', '');
const [oldestMajor = 0, oldestMinor = 0] = oldest.split('.').map(Number);
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
  const needs = `Switchboard needs Node ${oldest} or newer, and this is Node ${process.versions.node}`;
  console.error(`${needs}: "npm ci && npm start" brings the right one and uses it.`);
  process.exit(1);
}

void import('../start.ts');
