import type { StoredObject } from '../cluster-access.ts';

/** Namespaces that a control plane has from the start, besides those that every server has. */
const NAMESPACES: readonly string[] = ['kube-node-lease', 'kube-public'];

/** What a real control plane has made before the first client comes. */
export function controlPlaneObjects(nowMs: number): readonly StoredObject[] {
  const day = new Date(nowMs).toISOString().slice(0, 10);
  return [
    ...NAMESPACES.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
    // Whom the server trusts: nobody by a certificate, it speaks HTTP.
    settings('extension-apiserver-authentication', {}),
    // Since when it notes which old tokens are used.
    settings('kube-apiserver-legacy-service-account-token-tracking', { since: day }),
  ];
}

function settings(name: string, data: Readonly<Record<string, string>>): StoredObject {
  const metadata = { name, namespace: 'kube-system' };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
}
