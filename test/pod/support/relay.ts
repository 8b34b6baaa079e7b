/**
 * Run as a process: connects what is on one network with what is on another, byte by byte, by way of
 * sockets in the file system, which are the same for both. `node relay.ts LISTEN=CONNECT…`, each
 * either a path or HOST:PORT. Says `relaying`, and ends with its standard input.
 */
import { once } from 'node:events';
import { connect, createServer, type NetConnectOpts } from 'node:net';
import process from 'node:process';

for (const pair of process.argv.slice(2)) {
  const [from = '', to = ''] = pair.split('=');
  const server = createServer((near) => {
    const far = connect(endpoint(to));
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => other.destroy()); // whoever is left learns of it by the end of the connection
      one.pipe(other);
      one.on('close', () => other.destroy());
    }
  });
  server.listen(endpoint(from));
  await once(server, 'listening');
}
process.stdout.write('relaying\n');
process.stdin.resume().on('close', () => process.exit(0));

function endpoint(text: string): NetConnectOpts {
  if (text.startsWith('/')) return { path: text };
  const at = text.lastIndexOf(':');
  return { host: text.slice(0, at), port: Number(text.slice(at + 1)) };
}
