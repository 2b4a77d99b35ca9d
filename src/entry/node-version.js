const { engines } = require('../../package.json');

/** Ends the process where its Node is too old for Switchboard, with one line that says what to do. */
exports.requireNode = (advice) => {
  const oldest = engines.node.replace('>=', '');
  const [oldestMajor = 0, oldestMinor = 0] = oldest.split('.').map(Number);
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  console.error(`Switchboard needs Node ${oldest} or newer, and this is Node ${process.versions.node}: ${advice}`);
  process.exit(1);
};
