import { posix } from 'node:path';
import { parseYaml } from '../../core/yaml.ts';
import type { Container, EnvVar, Volume } from '../../model/kubernetes/core-v1.ts';
import { type Installation, portOf, variable } from './installation.ts';

/**
 * A kubeconfig in the operator's container that points to the ambassador and contains no
 * credential.
 */
interface AmbassadorKubeconfig {
  /** The variable with the path of the kubeconfig. */
  readonly variable: EnvVar;
}

/**
 * The kubeconfig for a program that was not written for the ambassador, but connects to it. The operator's
 * variable KUBECONFIG contains the path of the file. The file must be mounted from a ConfigMap among the
 * rendered objects. Undefined for any other file, and when the file contains a credential.
 */
export function ambassadorKubeconfig(installation: Installation): AmbassadorKubeconfig | undefined {
  const found = variable(installation.operator?.container, 'KUBECONFIG');
  if (found?.value === undefined || installation.socket !== undefined) return undefined;
  // The kubelet would replace `$(NAME)` in the path. A flag for the kubeconfig would override
  // KUBECONFIG.
  if (found.value.includes('$(') || hasFlag(installation.operator?.container)) return undefined;
  const text = mountedText(found.value, installation);
  const server = `http://127.0.0.1:${portOf(installation)}`;
  return text !== undefined && leadsTo(server, text) ? { variable: found } : undefined;
}

function hasFlag(container: Container | undefined): boolean {
  return [...(container?.command ?? []), ...(container?.args ?? [])].some((word) =>
    /(?:^|[\s"'])--?kubeconfig(?:[=\s"']|$)/.test(word),
  );
}

function mountedText(path: string, installation: Installation): string | undefined {
  const { operator, pod, objects, namespace } = installation;
  const mounts = (operator?.container.volumeMounts ?? []).map((mount) => ({
    ...mount,
    mountPath: posix.normalize(mount.mountPath).replace(/\/$/, ''),
  }));
  const mount = mounts.find(({ mountPath }) => mountPath === posix.dirname(path));
  // A mount at this path would hide the file. A second mount of the folder is refused by the API
  // server.
  if (mounts.some(({ mountPath }) => `${mountPath}/`.startsWith(`${path}/`))) return undefined;
  const volume = (pod.volumes ?? []).find(({ name }) => name === mount?.name);
  const source = volume?.configMap;
  const isPart = mount?.subPath !== undefined || mount?.subPathExpr !== undefined;
  if (source == null || isPart) return undefined;
  const [map, ...others] = objects.filter(
    ({ kind, metadata }) =>
      kind === 'ConfigMap' && metadata.name === source.name && metadata.namespace === namespace,
  ) as readonly { readonly data?: Readonly<Record<string, unknown>> | null }[];
  if (others.length > 0) return undefined;
  const key = keyOf(posix.basename(path), source);
  const text = key === undefined ? undefined : map?.data?.[key];
  return typeof text === 'string' ? text : undefined;
}

/**
 * The key of a file in a ConfigMap. Undefined when there is no such file, or when two keys are
 * mounted at the same path.
 */
function keyOf(file: string, { items }: NonNullable<Volume['configMap']>): string | undefined {
  if (items == null || items.length === 0) return file;
  const [found, ...others] = items.filter(({ path }) => posix.normalize(path) === file);
  return others.length > 0 ? undefined : found?.key;
}

/**
 * True when the kubeconfig contains only this server, and only known fields. A cluster with another
 * field, or a user with any field, may contain a credential.
 */
function leadsTo(server: string, text: string): boolean {
  let config: unknown;
  try {
    config = parseYaml(text);
  } catch {
    return false;
  }
  const { clusters, users = [] } = Object(config) as Readonly<Record<string, unknown>>;
  if (!Array.isArray(clusters) || clusters.length === 0 || !Array.isArray(users)) return false;
  return (
    clusters.every((each) => isEqual(Object(each).cluster, { server })) &&
    users.every((each) => isEqual(Object(each).user ?? {}, {}))
  );
}

function isEqual(value: unknown, expected: object): boolean {
  return JSON.stringify(value) === JSON.stringify(expected);
}
