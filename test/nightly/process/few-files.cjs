// The gateway's program in this process, with 400 descriptors.
const { join } = require('node:path');
const main = join(__dirname, '../../../src/main.cjs');
process.execve('/bin/sh', ['sh', '-c', 'ulimit -n 400 && exec "$0" "$@"', process.execPath, main], process.env);
