import type { Container, EnvVar, PodSpec } from '../../model/kubernetes/core-v1.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { CacheSize } from './cache-memory.ts';
import { type AcceptedPath, acceptedPaths, homeOf } from './path-pattern.ts';
import { type ProxyFlags, type ProxyWord, proxyFlags } from './proxy-flags.ts';

/** A container, and its path in the Pod. */
export interface PlacedContainer {
  readonly container: Container;
  /**
   * The path of the container in the Pod, such as `containers[operator]` or
   * `initContainers[proxy]`.
   */
  readonly path: string;
  readonly isInit: boolean;
}

/** An operator with its ambassador, as they are rendered, together with all other rendered objects. */
export interface Installation {
  /** `Kind/name` of the workload with the Pod. */
  readonly object: string;
  readonly kind: string;
  readonly name: string;
  /**
   * The namespace of the workload. Undefined when the manifests do not set it. Then `kubectl apply`
   * decides.
   */
  readonly namespace: string | undefined;
  /** The number of replicas. Undefined for kinds without replicas. */
  readonly replicas: number | undefined;
  readonly strategy: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly pod: PodSpec;
  /** All containers of the Pod, in the order in which they start. */
  readonly containers: readonly PlacedContainer[];
  readonly proxy: PlacedContainer;
  /**
   * The path of kubectl, if the `command` of the container starts `kubectl proxy`, so that the
   * entry point of the image is not used. Undefined when the entry point starts kubectl.
   */
  readonly kubectl: string | undefined;
  readonly flags: ProxyFlags;
  readonly accepted: readonly AcceptedPath[];
  /** The path of `--unix-socket`. Undefined when the ambassador listens on TCP. */
  readonly socket: string | undefined;
  /** The operator's container. Undefined when the Pod contains only the ambassador. */
  readonly operator: PlacedContainer | undefined;
  /** The container that terminates TLS for webhooks. Undefined without webhooks. */
  readonly gate: PlacedContainer | undefined;
  readonly objects: readonly KubernetesObject[];
  /** The size of the operator's caches; undefined when unknown. */
  readonly caches: CacheSize | undefined;
}

/** Matches images that contain only `kubectl proxy`. */
const AMBASSADOR_IMAGE = /(?:^|\/)(?:chancery-proxy|kubectl|kubectl-proxy|kubeapi-proxy)(?:[:@]|$)/;

/** Matches images that contain only the gate. */
const GATE_IMAGE = /(?:^|\/)chancery-gate(?:[:@]|$)/;

/** Matches flags that only `kubectl proxy` has. */
const FILTER_FLAG = /^--(?:accept-paths|accept-hosts|reject-paths|reject-methods)(?:=|$)/;

/** The workloads of `objects` that have an ambassador. */
export function installationsOf(
  objects: readonly KubernetesObject[],
  caches?: CacheSize,
): readonly Installation[] {
  return objects.flatMap((workload) => {
    const found = installationOf(workload, objects, caches);
    return found === undefined ? [] : [found];
  });
}

function installationOf(
  workload: KubernetesObject,
  objects: readonly KubernetesObject[],
  caches: CacheSize | undefined,
): Installation | undefined {
  const { kind, metadata } = workload;
  const template = podTemplateOf(workload);
  if (template?.spec === undefined) return undefined;
  const { spec: pod } = template;
  const containers = [
    ...placed('initContainers', pod.initContainers, true),
    ...placed('containers', pod.containers, false),
  ];
  const proxy = containers.find(({ container }) => isAmbassador(container));
  if (proxy === undefined) return undefined;
  const gate = containers.find(({ container }) => isGate(container));
  const others = containers.filter(
    (placed) => !placed.isInit && placed !== proxy && placed !== gate,
  );
  const flags = proxyFlags([...(proxy.container.command ?? []), ...(proxy.container.args ?? [])]);
  const spec = (workload as { spec?: { replicas?: number; strategy?: { type?: string } } }).spec;
  return {
    object: `${kind}/${metadata.name}`,
    kind,
    name: metadata.name,
    namespace: metadata.namespace,
    replicas: ['Deployment', 'ReplicaSet', 'StatefulSet'].includes(kind)
      ? (spec?.replicas ?? 1)
      : undefined,
    strategy: kind === 'Deployment' ? (spec?.strategy?.type ?? 'RollingUpdate') : undefined,
    labels: template.metadata?.labels ?? {},
    annotations: template.metadata?.annotations ?? {},
    pod,
    containers,
    proxy,
    kubectl: kubectlOf(proxy.container),
    flags,
    accepted: acceptedPaths(flags, homeOf({ namespace: metadata.namespace })),
    socket: flags.values.get('unix-socket')?.value || undefined,
    operator: others.find(({ container }) => container.name === 'operator') ?? others[0],
    gate,
    objects,
    caches,
  };
}

function kubectlOf({ command = [], args = [] }: Container): string | undefined {
  const [program = '', subcommand] = [...(command ?? []), ...(args ?? [])];
  const isKubectl = (command ?? []).length > 0 && /(?:^|\/)kubectl$/.test(program);
  return isKubectl && subcommand === 'proxy' ? program : undefined;
}

interface PodTemplate {
  readonly metadata?: KubernetesObject['metadata'] | null;
  readonly spec?: PodSpec;
}

/** Kinds that create Pods. In a custom resource, `template` may mean anything. */
const WORKLOADS = ['CronJob', 'DaemonSet', 'Deployment', 'Job', 'ReplicaSet', 'StatefulSet'];

/**
 * The template of a workload's Pods. A Pod is its own template. A CronJob contains the template
 * within the template of its Job.
 */
export function podTemplateOf(workload: KubernetesObject): PodTemplate | undefined {
  if (workload.kind === 'Pod') return workload as PodTemplate;
  if (!WORKLOADS.includes(workload.kind)) return undefined;
  const { spec } = workload as {
    spec?: { template?: PodTemplate; jobTemplate?: { spec?: { template?: PodTemplate } } } | null;
  };
  return spec?.jobTemplate?.spec?.template ?? spec?.template;
}

function placed(
  field: string,
  containers: readonly Container[] | null | undefined,
  isInit: boolean,
): readonly PlacedContainer[] {
  return (containers ?? []).map((container) => ({
    container,
    path: `${field}[${container.name}]`,
    isInit,
  }));
}

/**
 * True for an ambassador. It is recognised by its image, command and arguments, and not by the name
 * of the container.
 */
export function isAmbassador({ image = '', command, args }: Container): boolean {
  const words = [...(command ?? []), ...(args ?? [])];
  const runsKubectl =
    words.some((word) => /(?:^|\/)kubectl$/.test(word)) && words.includes('proxy');
  return (
    AMBASSADOR_IMAGE.test(image) || runsKubectl || words.some((word) => FILTER_FLAG.test(word))
  );
}

/** True for a gate: its image is a gate image, or the name of the container is `gate`. */
function isGate({ name, image = '' }: Container): boolean {
  return GATE_IMAGE.test(image) || name === 'gate';
}

/** The path of an argument of the ambassador, which is an item of `command` or of `args`. */
export function argumentPath({ container, path }: PlacedContainer, { at }: ProxyWord): string {
  const { command } = container;
  const before = command?.length ?? 0;
  return at < before ? `${path}.command[${at}]` : `${path}.args[${at - before}]`;
}

/** A variable of a container. If it is defined twice, the last definition is used. */
export function variable(container: Container | undefined, name: string): EnvVar | undefined {
  return (container?.env ?? []).findLast((each) => each.name === name);
}

/** The port on which the ambassador listens. */
export function portOf({ flags }: Installation): string {
  return flags.values.get('port')?.value ?? '8001';
}
