// Exits with 0 where the gateway of this container is alive, else with 1: a health check for images without a shell.
import { get } from 'node:http';

// Blanks around a value mean nothing, as in the gateway's own settings: a file of them may end its lines with CRLF.
const [ADMIN_PORT, PORT, HOST] = ['ADMIN_PORT', 'PORT', 'HOST'].map((name) => process.env[name]?.trim());
const port = ADMIN_PORT || PORT || 4000;
const host = !HOST || HOST === '0.0.0.0' || HOST === '::' ? '127.0.0.1' : HOST;

get({ host, port, path: '/health', timeout: 2_000, agent: false }, ({ statusCode }) => {
  process.exit(statusCode === 200 ? 0 : 1);
})
  .on('timeout', () => process.exit(1))
  .on('error', () => process.exit(1));
