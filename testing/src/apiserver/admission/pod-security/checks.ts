import { isObject, type Json } from '../../objects/metadata.ts';

/** Returns the server's message if the spec of a Pod violates a rule; undefined if it does not. */
type Check = (spec: Json) => string | undefined;

/** Capabilities that containers have by default. */
const DEFAULT_CAPABILITIES: ReadonlySet<unknown> = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);

/** The kinds of volumes that a restricted Pod may have. */
const PLAIN_VOLUMES: ReadonlySet<string> = new Set([
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
]);

const capabilities: Check = (spec) => {
  const added = (container: Json): readonly unknown[] =>
    capabilitiesOf(container).add.filter((name) => !DEFAULT_CAPABILITIES.has(name));
  return addedCapabilities(spec, added, 'non-default capabilities');
};

const hostNamespaces: Check = (spec) => {
  const used = ['hostNetwork', 'hostPID', 'hostIPC'].filter((name) => spec[name] === true);
  return violation('host namespaces', used.map((name) => `${name}=true`).join(', '));
};

const hostPathVolumes: Check = (spec) => {
  const found = listOf(spec.volumes).filter(({ hostPath }) => hostPath !== undefined);
  return violation('hostPath volumes', named('volume', found));
};

const hostPorts: Check = (spec) => {
  const portsOf = ({ ports }: Json): readonly number[] =>
    listOf(ports)
      .map(({ hostPort }) => Number(hostPort ?? 0))
      .filter((port) => port !== 0);
  const found = containersOf(spec).filter((container) => portsOf(container).length > 0);
  const ports = [...new Set(found.flatMap(portsOf))].sort((a, b) => a - b);
  const use = found.length === 1 ? 'uses' : 'use';
  const what = ports.length === 1 ? 'hostPort' : 'hostPorts';
  return violation(
    'hostPort',
    found.length === 0 ? '' : `${named('container', found)} ${use} ${what} ${ports.join(', ')}`,
  );
};

const privileged: Check = (spec) => {
  const found = containersOf(spec).filter((one) => contextOf(one).privileged === true);
  return violation('privileged', must(found, 'must not set securityContext.privileged=true'));
};

/** The checks of level `baseline`, in the order in which the server lists violations. */
export const BASELINE: readonly Check[] = [
  capabilities,
  hostNamespaces,
  hostPathVolumes,
  hostPorts,
  privileged,
];

const privilegeEscalation: Check = (spec) => {
  const found = containersOf(spec).filter(
    (one) => contextOf(one).allowPrivilegeEscalation !== false,
  );
  const text = must(found, 'must set securityContext.allowPrivilegeEscalation=false');
  return violation('allowPrivilegeEscalation != false', text);
};

const droppedCapabilities: Check = (spec) => {
  const keeping = containersOf(spec).filter((one) => !capabilitiesOf(one).drop.includes('ALL'));
  const drop = must(keeping, 'must set securityContext.capabilities.drop=["ALL"]');
  const added = (container: Json): readonly unknown[] =>
    capabilitiesOf(container).add.filter((name) => name !== 'NET_BIND_SERVICE');
  const add = addedDetail(spec, added);
  const text = [drop, add].filter((part) => part !== '').join('; ');
  return violation('unrestricted capabilities', text);
};

const restrictedVolumes: Check = (spec) => {
  const typeOf = (volume: Json): string =>
    Object.keys(volume).find((field) => field !== 'name') ?? 'emptyDir';
  const found = listOf(spec.volumes).filter((volume) => !PLAIN_VOLUMES.has(typeOf(volume)));
  const types = [...new Set(found.map(typeOf))].sort();
  const uses = `${found.length === 1 ? 'uses' : 'use'} restricted volume ${types.length === 1 ? 'type' : 'types'}`;
  const text = found.length === 0 ? '' : `${named('volume', found)} ${uses} ${quoted(types)}`;
  return violation('restricted volume types', text);
};

const runAsNonRoot: Check = (spec) => {
  const pod = contextOf(spec).runAsNonRoot;
  return byPodOrContainer(spec, {
    reason: 'runAsNonRoot != true',
    pod: pod === undefined ? undefined : pod === true,
    container: (one) => {
      const own = contextOf(one).runAsNonRoot;
      return own === undefined ? undefined : own === true;
    },
    wrong: 'must not set securityContext.runAsNonRoot=false',
    missing: 'must set securityContext.runAsNonRoot=true',
  });
};

const runAsUser: Check = (spec) => {
  const containers = containersOf(spec).filter((one) => contextOf(one).runAsUser === 0);
  const pod = contextOf(spec).runAsUser === 0 ? ['pod'] : [];
  const setters = [...pod, ...(containers.length === 0 ? [] : [named('container', containers)])];
  const text = setters.length === 0 ? '' : `${setters.join(' and ')} must not set runAsUser=0`;
  return violation('runAsUser=0', text);
};

const seccompProfile: Check = (spec) => {
  const fits = (context: Json): boolean | undefined => {
    const type = isObject(context.seccompProfile) ? context.seccompProfile.type : undefined;
    return type === undefined ? undefined : type === 'RuntimeDefault' || type === 'Localhost';
  };
  return byPodOrContainer(spec, {
    reason: 'seccompProfile',
    pod: fits(contextOf(spec)),
    container: (one) => fits(contextOf(one)),
    wrong: 'must not set securityContext.seccompProfile.type to "Unconfined"',
    missing: 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"',
  });
};

/** The checks that level `restricted` adds, in the order in which the server lists violations. */
export const RESTRICTED: readonly Check[] = [
  privilegeEscalation,
  droppedCapabilities,
  restrictedVolumes,
  runAsNonRoot,
  runAsUser,
  seccompProfile,
];

/** A setting that a Pod has for all of its containers, and that each container can override. */
interface Setting {
  readonly reason: string;
  /** Whether the value that the Pod sets is allowed; undefined if the Pod does not set any value. */
  readonly pod: boolean | undefined;
  readonly container: (container: Json) => boolean | undefined;
  readonly wrong: string;
  readonly missing: string;
}

function byPodOrContainer(spec: Json, setting: Setting): string | undefined {
  const { reason, pod, container, wrong, missing } = setting;
  const containers = containersOf(spec);
  const bad = containers.filter((one) => container(one) === false);
  const setters = [
    ...(pod === false ? ['pod'] : []),
    ...(bad.length === 0 ? [] : [named('container', bad)]),
  ];
  if (setters.length > 0) return violation(reason, `${setters.join(' and ')} ${wrong}`);
  const unset = containers.filter((one) => container(one) === undefined);
  if (pod === true || unset.length === 0) return undefined;
  return violation(reason, `pod or ${named('container', unset)} ${missing}`);
}

function violation(reason: string, detail: string): string | undefined {
  return detail === '' ? undefined : `${reason} (${detail})`;
}

function addedCapabilities(
  spec: Json,
  added: (container: Json) => readonly unknown[],
  reason: string,
): string | undefined {
  return violation(reason, addedDetail(spec, added));
}

function addedDetail(spec: Json, added: (container: Json) => readonly unknown[]): string {
  const found = containersOf(spec).filter((one) => added(one).length > 0);
  const names = [...new Set(found.flatMap(added).map(String))].sort();
  return must(found, `must not include ${quoted(names)} in securityContext.capabilities.add`);
}

function must(containers: readonly Json[], text: string): string {
  return containers.length === 0 ? '' : `${named('container', containers)} ${text}`;
}

/**
 * Formats a list of containers for a message: `container "a"` or `containers "a", "b"`. The result for an
 * empty list is ''.
 */
function named(what: string, list: readonly Json[]): string {
  if (list.length === 0) return '';
  return `${what}${list.length === 1 ? '' : 's'} ${quoted(list.map(({ name }) => String(name)))}`;
}

function quoted(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(', ');
}

function containersOf(spec: Json): readonly Json[] {
  return [spec.initContainers, spec.containers, spec.ephemeralContainers].flatMap(listOf);
}

function contextOf({ securityContext }: Json): Json {
  return isObject(securityContext) ? securityContext : {};
}

function capabilitiesOf(container: Json): {
  readonly add: readonly unknown[];
  readonly drop: readonly unknown[];
} {
  const { capabilities: own } = contextOf(container);
  const { add, drop } = isObject(own) ? own : {};
  return { add: Array.isArray(add) ? add : [], drop: Array.isArray(drop) ? drop : [] };
}

function listOf(list: unknown): readonly Json[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}
