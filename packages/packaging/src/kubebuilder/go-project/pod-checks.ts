import { ConfigurationError } from 'chancery';
import { type Container, ownNamespaces, type PodSpec, type Volume } from 'chancery/internal';
import type { KustomizeTree } from './kustomize-tree.ts';
import { OWN_VOLUMES, PROXY } from './own-names.ts';
import { KUBECONFIG_FLAG } from './weak-part.ts';

/** The folder with the files of a ServiceAccount. */
export const ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * Checks the Pod of the manager.
 *
 * @throws ConfigurationError `CONFIG` for settings that bypass the ambassador, or expose its token.
 */
export function requireOwnPod(path: string, pod: PodSpec, container: Container): void {
  const [shared] = ownNamespaces.check({ pod } as Parameters<typeof ownNamespaces.check>[0]);
  if (shared !== undefined) {
    throw new ConfigurationError(
      `${path}: ${shared.path} of the Pod ${shared.wrong}: ${shared.why}; ${shared.todo}`,
    );
  }
  requireOwnNames(path, pod);
  const withToken = (pod.volumes ?? []).find(hasToken);
  if (withToken !== undefined) {
    throw new ConfigurationError(
      `${path}: the volume ${withToken.name} has a token of the ServiceAccount, and only the ambassador may have one: ` +
        'remove the volume and its mounts',
    );
  }
  if ((container.env ?? []).some(({ name }) => name === 'KUBECONFIG')) {
    throw new ConfigurationError(
      `${path}: the container ${container.name} has a KUBECONFIG of its own, which leads past the ambassador: remove it`,
    );
  }
  const words = [...(container.command ?? []), ...(container.args ?? [])];
  if (words.some((word) => KUBECONFIG_FLAG.test(word))) {
    throw new ConfigurationError(
      `${path}: the container ${container.name} has the flag --kubeconfig, which leads past the ambassador: remove it`,
    );
  }
}

/**
 * Refuses containers and volumes that have the same names as the ambassador's, because kustomize
 * would merge them.
 */
function requireOwnNames(path: string, pod: PodSpec): void {
  const all = [...(pod.initContainers ?? []), ...pod.containers];
  const beside = (pod.initContainers ?? []).filter(
    ({ restartPolicy }) => restartPolicy === 'Always',
  );
  if (beside.length > 0) throw thirdContainer(path, beside.map(({ name }) => name).join(' and '));
  const names = [
    ...all.map(({ name }) => name).filter((name) => name === PROXY),
    ...[...(pod.volumes ?? []), ...all.flatMap(({ volumeMounts }) => volumeMounts ?? [])]
      .map(({ name }) => name)
      .filter((name) => OWN_VOLUMES.includes(name)),
  ];
  if (names.length === 0) return;
  throw new ConfigurationError(
    `${path} has the name ${names[0]}, which belongs to the ambassador: choose another name`,
  );
}

/**
 * Checks that the project has no Secret for a token.
 *
 * @throws ConfigurationError `CONFIG` for a Secret that Kubernetes fills with a token that never
 * expires.
 */
export function requireNoTokenSecret({ objects }: KustomizeTree): void {
  const secret = objects.find(
    ({ object }) => (object as { type?: unknown }).type === 'kubernetes.io/service-account-token',
  );
  if (secret === undefined) return;
  throw new ConfigurationError(
    `${secret.path}: Secret/${secret.object.metadata.name} gets a token of a ServiceAccount that never ends, and any ` +
      'container can mount it: remove it, because the ambassador has a token of an hour',
  );
}

function hasToken({ projected }: Volume): boolean {
  return (projected?.sources ?? []).some(({ serviceAccountToken }) => serviceAccountToken != null);
}

/**
 * Checks that the port of the ambassador is free.
 *
 * @param patches - the patches. They may add ports and arguments to the manager.
 * @throws ConfigurationError `CONFIG` when the manager listens on the port of the ambassador.
 */
export function requireFreePort(
  path: string,
  { command, args, ports }: Container,
  patches: readonly unknown[],
  port: number,
): void {
  if (![{ command, args, ports }, ...patches].some((part) => listens(part, port))) return;
  throw new ConfigurationError(
    `${path}: the manager listens on port ${port} itself, there or by a patch: choose another one with --proxy-port`,
  );
}

function listens(part: unknown, port: number): boolean {
  if (typeof part === 'string') {
    return part
      .split(/\s/)
      .some((word) => word.endsWith(`:${port}`) || word.endsWith(`-port=${port}`));
  }
  return Object.entries(Object(part)).some(([key, value]) =>
    key === 'containerPort' ? value === port : listens(value, port),
  );
}

/**
 * The error for a container beside the manager.
 *
 * @param names - names of the containers beside the manager.
 */
export function thirdContainer(path: string, names: string): ConfigurationError {
  const advice = names.includes('kube-rbac-proxy')
    ? 'its image is no longer published, and it needs a token: remove the patch, and let the manager protect its ' +
      'metrics itself (https://book.kubebuilder.io/reference/metrics)'
    : 'run it in a Pod of its own, or remove it';
  return new ConfigurationError(
    `${path} puts ${names} beside the manager. No container but the ambassador has a token, and everything in the Pod ` +
      `can use the ambassador: ${advice}`,
  );
}
