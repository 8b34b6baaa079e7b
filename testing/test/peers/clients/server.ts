import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatYaml } from 'chancery/low-level';
import { ApiServer } from '../../../src/apiserver/api-server.ts';
import type { RunningServer } from '../suite.ts';

/**
 * Runs `work` with a kubeconfig for a server of its own, with all controllers and one node, or for `given`.
 *
 * @param folder - gets the kubeconfig.
 */
export async function withServer(
  given: RunningServer | undefined,
  folder: string,
  work: (kubeconfig: string) => Promise<void>,
): Promise<void> {
  const path = join(folder, 'kubeconfig');
  const own = given === undefined ? await ApiServer.start({ workloads: {} }) : undefined;
  try {
    writeFileSync(path, kubeconfig(given?.url ?? own?.url ?? '', given?.token), { mode: 0o600 });
    await work(path);
  } finally {
    await own?.close();
  }
}

function kubeconfig(server: string, token: string | undefined): string {
  return formatYaml({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'peer',
    clusters: [{ name: 'peer', cluster: { server, 'insecure-skip-tls-verify': true } }],
    contexts: [{ name: 'peer', context: { cluster: 'peer', user: 'peer', namespace: 'default' } }],
    users: [{ name: 'peer', user: token === undefined ? {} : { token } }],
  });
}
