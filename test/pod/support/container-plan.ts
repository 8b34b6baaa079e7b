/** What the kubelet and a container runtime make of a rendered container and of the config of its image. */
import { expand } from '../../manifests/support/rendered.ts';

/** What an image says of how it is run: `docker inspect`'s Config. */
export interface ImageConfig {
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly Env: readonly string[];
  readonly User: string;
  readonly WorkingDir: string;
}

export interface ContainerSpec {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly EnvVar[];
  readonly volumeMounts?: readonly VolumeMount[];
  readonly securityContext?: SecurityContext;
  readonly restartPolicy?: string;
  readonly startupProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly lifecycle?: { readonly preStop?: { readonly sleep?: { readonly seconds: number } } };
}

export interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly fieldRef?: { readonly fieldPath: string } };
}

export interface VolumeMount {
  readonly name: string;
  readonly mountPath: string;
  readonly readOnly?: boolean;
}

export interface Probe {
  readonly exec?: { readonly command: readonly string[] };
  readonly httpGet?: { readonly path: string; readonly port: number | string };
  readonly periodSeconds?: number;
  readonly timeoutSeconds?: number;
  readonly failureThreshold?: number;
}

export interface SecurityContext {
  readonly runAsNonRoot?: boolean;
  readonly runAsUser?: number;
  readonly runAsGroup?: number;
  readonly fsGroup?: number;
  readonly allowPrivilegeEscalation?: boolean;
  readonly readOnlyRootFilesystem?: boolean;
  readonly capabilities?: { readonly drop?: readonly string[]; readonly add?: readonly string[] };
}

/** One process, ready to be started. */
export interface ContainerPlan {
  readonly name: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly workingDir: string;
  readonly uid: number;
  readonly gid: number;
  /** Supplementary groups. */
  readonly groups: readonly number[];
  readonly readOnlyRoot: boolean;
  readonly noNewPrivileges: boolean;
  readonly mounts: readonly PlannedMount[];
}

export interface PlannedMount {
  readonly source: string;
  readonly target: string;
  readonly readOnly: boolean;
}

/** What the kubelet knows of a Pod besides its spec. */
export interface PodFacts {
  /** `metadata.namespace`, `metadata.name`, `spec.nodeName`, `status.podIP`: for fieldRef. */
  readonly fields: Readonly<Record<string, string>>;
  /** What every container's environment has, whatever the manifest says. */
  readonly env: Readonly<Record<string, string>>;
  readonly securityContext: SecurityContext;
  /** Where the kubelet has put a volume. */
  readonly volume: (name: string) => string;
}

/** @throws Error for what could not be run as it is written: a test must not run something weaker instead. */
export function containerPlan(
  spec: ContainerSpec,
  image: ImageConfig,
  pod: PodFacts,
): ContainerPlan {
  const security = { ...pod.securityContext, ...spec.securityContext };
  refuseWhatIsNotDone(spec, security);
  const env = environmentOf(spec, image, pod);
  const [uid, gid] = image.User.split(':').map(Number);
  const user = security.runAsUser ?? uid;
  const group = security.runAsGroup ?? gid;
  if (user === undefined || group === undefined || (security.runAsNonRoot && user === 0)) {
    throw new Error(`container ${spec.name} would run as root`);
  }
  const { command = image.Entrypoint, args = spec.command === undefined ? image.Cmd : [] } = spec;
  return {
    name: spec.name,
    argv: [...command, ...args].map((word) => expand(word, env)),
    env,
    workingDir: image.WorkingDir || '/',
    uid: user,
    gid: group,
    groups: security.fsGroup === undefined ? [] : [security.fsGroup],
    readOnlyRoot: security.readOnlyRootFilesystem === true,
    noNewPrivileges: security.allowPrivilegeEscalation === false,
    mounts: (spec.volumeMounts ?? []).map(({ name, mountPath, readOnly = false }) => ({
      source: pod.volume(name),
      target: mountPath,
      readOnly,
    })),
  };
}

/** The image's, the kubelet's, then the manifest's, in which each may name those before it. */
function environmentOf(
  spec: ContainerSpec,
  image: ImageConfig,
  pod: PodFacts,
): Record<string, string> {
  const env: Record<string, string> = { ...pod.env };
  const own: Record<string, string> = {};
  for (const { name, value = '', valueFrom } of spec.env ?? []) {
    const path = valueFrom?.fieldRef?.fieldPath;
    const field = path === undefined ? undefined : pod.fields[path];
    if (valueFrom !== undefined && field === undefined) throw new Error(`no value for ${name}`);
    own[name] = field ?? expand(value, { ...env, ...own });
  }
  const ofImage = image.Env.map((pair): [string, string] => {
    const at = pair.indexOf('=');
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
  return { ...Object.fromEntries(ofImage), ...env, ...own };
}

/** What a container may ask for and this runner has an answer to; more would be run as if it were not there. */
const KNOWN: ReadonlySet<string> = new Set([
  ...[
    'name',
    'image',
    'imagePullPolicy',
    'command',
    'args',
    'env',
    'ports',
    'resources',
    'volumeMounts',
  ],
  ...[
    'securityContext',
    'restartPolicy',
    'startupProbe',
    'readinessProbe',
    'livenessProbe',
    'lifecycle',
  ],
  ...['terminationMessagePolicy'],
]);

function refuseWhatIsNotDone(spec: ContainerSpec, security: SecurityContext): void {
  const unknown = Object.keys(spec).filter((field) => !KNOWN.has(field));
  const mounts = (spec.volumeMounts ?? []).flatMap((mount) =>
    Object.keys(mount).filter((field) => !['name', 'mountPath', 'readOnly'].includes(field)),
  );
  if (unknown.length + mounts.length > 0) {
    throw new Error(
      `container ${spec.name}: nothing is done about ${[...unknown, ...mounts].join(', ')}`,
    );
  }
  const { drop = [], add = [] } = security.capabilities ?? {};
  if (drop.join() !== 'ALL' || add.length > 0) {
    throw new Error(`container ${spec.name} does not drop all capabilities`);
  }
}
