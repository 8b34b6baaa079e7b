/**
 * Behaves as kube-apiserver does for who starts it: flags, a certificate that it signs itself, TLS,
 * a token, `/readyz`, SIGTERM. Behind that is the embedded server.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request as send } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { ApiServer } from '../../../src/apiserver/api-server.ts';
import { CertificateAuthority } from '../../../src/apiserver/tls/certificate-authority.ts';
import { flagsOf, required } from './flags.ts';

const flags = flagsOf(process.argv.slice(2));
const health = await fetch(`${required(flags, 'etcd-servers')}/health`);
if (((await health.json()) as { health: string }).health !== 'true') throw new Error('no etcd');
for (const name of ['service-account-key-file', 'service-account-signing-key-file']) {
  if (!readFileSync(required(flags, name), 'utf8').startsWith('-----BEGIN')) process.exit(1);
}
if (!required(flags, 'service-account-issuer').startsWith('https://')) process.exit(1);
if (required(flags, 'authorization-mode') !== 'RBAC') process.exit(1);
const [token = '', , , groups] = readFileSync(required(flags, 'token-auth-file'), 'utf8').split(
  ',',
);
const directory = required(flags, 'cert-dir');
mkdirSync(directory, { recursive: true });
const address = required(flags, 'bind-address');
const authority = new CertificateAuthority();
const { key, cert } = authority.issue([address]);
writeFileSync(join(directory, 'apiserver.crt'), cert + authority.certificate);

const [gate, on] = flags['feature-gates']?.split('=') ?? [];
const featureGates = gate === undefined ? {} : { [gate]: on === 'true' };
const embedded = await ApiServer.start({ workloads: false, featureGates });
let asked = 0;
const server = createServer({ key, cert }, (incoming, response) => {
  const isAdmin = groups?.trim() === '"system:masters"';
  if (!isAdmin || incoming.headers.authorization !== `Bearer ${token}`) {
    response.writeHead(401, { 'content-type': 'application/json' });
    response.end('{"kind":"Status","status":"Failure","reason":"Unauthorized","code":401}');
    return;
  }
  if (incoming.url === '/readyz') {
    asked += 1;
    response.writeHead(asked > 2 ? 200 : 500).end();
    return;
  }
  // Nobody but the embedded server itself asks it for a token here.
  const { authorization: _, ...headers } = incoming.headers;
  const { method, url } = incoming;
  const onward = send({ host: '127.0.0.1', port: embedded.port, method, path: url, headers });
  onward.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.rawHeaders).flushHeaders();
    pipeline(answer, response, () => {});
  });
  onward.on('error', () => response.destroy());
  response.on('close', () => onward.destroy());
  pipeline(incoming, onward, () => {});
}).listen(Number(required(flags, 'secure-port')), address);
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
  void embedded.close();
});
