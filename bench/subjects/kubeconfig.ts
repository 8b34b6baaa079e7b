/**
 * A kubeconfig, in JSON, which is YAML, for a server that asks for no credentials. Plain HTTP is
 * refused by `@kubernetes/client-node` unless the check of certificates is off.
 */
export function kubeconfig(server: string): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'bench', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'bench', user: {} }],
    contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench' } }],
    'current-context': 'bench',
  });
}
