/**
 * The embedded API server with the objects of `reloader.ts`, in a process of its own. Started with the
 * numbers of Secrets, referenced Secrets and workloads, and the bytes of a Secret. It says where it is when
 * all objects are there, and again after each message, which has roles to create.
 */
import { randomBytes } from 'node:crypto';
import { ApiServer, deployment, secret } from '@chancery/testing';
import type { KubernetesObject } from '../../operator/model/object.ts';

/** Where the server is. */
export interface Serving {
  /** For its administrator. */
  readonly url: string;
  /** For the operator's ServiceAccount, whose requests Roles decide. */
  readonly userUrl: string;
}

/** The operator's home, and its ServiceAccount. */
export const HOME = 'reloader';
const NAMESPACES = 10;

const [secrets = 0, referenced = 0, workloads = 0, bytes = 0] = process.argv.slice(2).map(Number);
const server = await ApiServer.start({ authorization: 'RBAC', workloads: false });
for (const name of [HOME, ...Array.from({ length: NAMESPACES }, (_, at) => namespaceOf(at))]) {
  server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
}
for (let at = 0; at < secrets; at++) {
  const data = { content: randomBytes(bytes).toString('base64') };
  server.create(secret(`secret-${at}`, { namespace: namespaceOf(at), data }));
}
for (let at = 0; at < workloads; at++) server.create(workload(at));
const serving: Serving = {
  url: server.url,
  userUrl: await server.urlFor(`system:serviceaccount:${HOME}:reloader`),
};
process.send?.(serving);

process.on('message', (roles: readonly KubernetesObject[]) => {
  for (const role of roles) server.create(placed(role));
  process.send?.(serving);
});

function namespaceOf(at: number): string {
  return `team-${at % NAMESPACES}`;
}

/** It uses the Secret of its number among those that are referenced, which is in its namespace. */
function workload(at: number): KubernetesObject {
  const name = `secret-${at % referenced}`;
  const main = { name: 'main', image: 'registry.k8s.io/pause:3.10' };
  return deployment(`web-${at}`, {
    namespace: namespaceOf(at),
    podSpec: { containers: [{ ...main, envFrom: [{ secretRef: { name } }] }] },
  });
}

function placed(role: KubernetesObject): KubernetesObject {
  const isPlaced = role.kind.startsWith('Cluster') || role.metadata.namespace !== undefined;
  return isPlaced ? role : { ...role, metadata: { ...role.metadata, namespace: HOME } };
}
