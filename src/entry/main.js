// The entry of the process, to which src/main.ts is a link. It is JavaScript in a CommonJS package of its own, so that every Node can
// read it. A Node that knows no TypeScript would end at the name of an ES module with a stack trace that does not say what to do.
require('./node-version.js').requireNode('"npm ci && npm start" brings the right one and uses it.');

void import('../start.ts');
