import { ConfigurationError } from '../../core/errors.ts';
import { ownNamespaces } from '../../generate/lint/rules/pod-security.ts';
import type { Container, PodSpec, Volume } from '../../model/kubernetes/core-v1.ts';
import type { PlacedPatch } from './kustomize-tree.ts';

/** Where the files of a ServiceAccount are. */
export const ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

/** @throws ConfigurationError `CONFIG` for what leads around the ambassador, or to its token. */
export function requireOwnPod(path: string, pod: PodSpec, container: Container): void {
  const [shared] = ownNamespaces.check({ pod } as Parameters<typeof ownNamespaces.check>[0]);
  if (shared !== undefined) {
    throw new ConfigurationError(
      `${path}: ${shared.path} of the Pod ${shared.wrong}: ${shared.why}; ${shared.todo}`,
    );
  }
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
  if (words.some((word) => /^--?kubeconfig(?:=|$)/.test(word))) {
    throw new ConfigurationError(
      `${path}: the container ${container.name} has the flag --kubeconfig, which leads past the ambassador: remove it`,
    );
  }
}

function hasToken({ projected }: Volume): boolean {
  return (projected?.sources ?? []).some(({ serviceAccountToken }) => serviceAccountToken != null);
}

/** @throws ConfigurationError `CONFIG` when the manager listens on the port of the ambassador. */
export function requireFreePort(path: string, { args, ports }: Container, port: number): void {
  const isTaken =
    (ports ?? []).some(({ containerPort }) => containerPort === port) ||
    (args ?? []).some((word) => word.endsWith(`:${port}`) || word.endsWith(`-port=${port}`));
  if (!isTaken) return;
  throw new ConfigurationError(
    `${path}: the manager listens on port ${port} itself: choose another one with --proxy-port`,
  );
}

/** Lists that a JSON patch would replace, after the ambassador was added to them. */
const LISTS =
  /^\/spec\/template\/spec\/(?:volumes|initContainers|containers(?:\/\d+(?:\/(?:env|volumeMounts))?)?)$/;

/**
 * The patches of `config/default` come after those of the ambassador.
 *
 * @throws ConfigurationError `CONFIG` for one that adds a container, or would take something of the ambassador away.
 */
export function requireHarmlessPatches(patches: readonly PlacedPatch[], manager: string): void {
  for (const { path, value } of patches) {
    if (Array.isArray(value)) requireHarmlessOperations(path, value);
    else requireNoContainer(path, value, manager);
  }
}

function requireNoContainer(path: string, value: unknown, manager: string): void {
  const { kind, spec } = Object(value);
  const containers: unknown = kind === 'Deployment' ? spec?.template?.spec?.containers : undefined;
  if (!Array.isArray(containers)) return;
  const others = containers
    .map((container) => Object(container))
    .filter(({ name, $patch }) => name !== manager && $patch !== 'delete');
  if (others.length > 0) throw thirdContainer(path, others.map(({ name }) => name).join(' and '));
}

function requireHarmlessOperations(path: string, operations: readonly unknown[]): void {
  for (const operation of operations) {
    const { op, path: at, value } = Object(operation);
    if (typeof at !== 'string' || !['add', 'replace', 'remove'].includes(op)) continue;
    if (op === 'add' && /^\/spec\/template\/spec\/containers\/(?:-|\d+)$/.test(at)) {
      throw thirdContainer(path, String(Object(value).name));
    }
    if (!LISTS.test(at)) continue;
    throw new ConfigurationError(
      `${path} has the operation ${op} of ${at}, which would take away what the ambassador needs there: add single ` +
        `items, with the path ${at}/-`,
    );
  }
}

/** @param names - of the containers beside the manager. */
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
