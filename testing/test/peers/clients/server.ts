import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatYaml } from 'chancery/low-level';
import { ApiServer } from '../../../src/apiserver/api-server.ts';
import type { RunningServer } from '../suite.ts';

const TOKEN = 'peer-token';

/**
 * Runs `work` with a kubeconfig for a server of its own, with TLS, all controllers and one node, or for `given`.
 *
 * @param folder - gets the kubeconfig.
 */
export async function withServer(
  given: RunningServer | undefined,
  folder: string,
  work: (kubeconfig: string) => Promise<void>,
): Promise<void> {
  const path = join(folder, 'kubeconfig');
  if (given !== undefined) {
    const trust = { 'insecure-skip-tls-verify': true };
    writeFileSync(path, kubeconfig({ server: given.url, ...trust }, given.token), { mode: 0o600 });
    return work(path);
  }
  const own = await ApiServer.start({
    tls: {},
    authentication: { tokens: { [TOKEN]: { name: 'peer', groups: ['system:masters'] } } },
    workloads: {},
  });
  try {
    const trust = { 'certificate-authority-data': Buffer.from(own.secure.ca).toString('base64') };
    writeFileSync(path, kubeconfig({ server: own.url, ...trust }, TOKEN), { mode: 0o600 });
    await work(path);
  } finally {
    await own.close();
  }
}

function kubeconfig(cluster: object, token: string): string {
  return formatYaml({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'peer',
    clusters: [{ name: 'peer', cluster }],
    contexts: [{ name: 'peer', context: { cluster: 'peer', user: 'peer', namespace: 'default' } }],
    users: [{ name: 'peer', user: { token } }],
  });
}
