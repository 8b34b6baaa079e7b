/** Behaves as etcd does for who starts it: flags, `/health`, a data directory, SIGTERM. */
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { flagsOf, required } from './flags.ts';

const flags = flagsOf(process.argv.slice(2));
const url = new URL(required(flags, 'listen-client-urls'));
mkdirSync(required(flags, 'data-dir'), { mode: 0o700 });
required(flags, 'advertise-client-urls');
required(flags, 'listen-peer-urls');
let asked = 0;
const server = createServer((request, response) => {
  asked += 1;
  const health = String(asked > 2); // it needs a moment to elect itself
  response.writeHead(request.url === '/health' ? 200 : 404, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ health }));
}).listen(Number(url.port), url.hostname);
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
