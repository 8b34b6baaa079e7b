import type { PodSpec } from './guarantees.ts';

type Json = Readonly<Record<string, unknown>>;

/** Where a Pod is weaker than the restricted level of the Pod Security Standards, or than ours. */
export function weaknesses(pod: PodSpec): readonly string[] {
  const containers = [...pod.containers, ...(pod.initContainers ?? [])];
  return [...podWeaknesses(pod), ...containers.flatMap((each) => containerWeaknesses(each, pod))];
}

type Check = readonly [what: string, isWeak: boolean];

function podWeaknesses(pod: PodSpec): readonly string[] {
  const context = table(pod.securityContext);
  const volumes = Array.isArray(pod.volumes) ? pod.volumes.map(table) : [];
  return found('pod', [
    ['host namespaces', ['hostNetwork', 'hostPID', 'hostIPC'].some((key) => key in pod)],
    ['shared processes', pod.shareProcessNamespace === true],
    ['a token in every container', pod.automountServiceAccountToken !== false],
    ['a folder of the node', volumes.some((volume) => 'hostPath' in volume)],
    ['root', context.runAsNonRoot === false || context.runAsUser === 0],
    ['kernel settings', 'sysctls' in context],
    ...profileChecks(context),
  ]);
}

function containerWeaknesses(container: PodSpec['containers'][number], pod: PodSpec): string[] {
  const context = table(container.securityContext);
  const outer = table(pod.securityContext);
  const { add = [], drop } = table(context.capabilities);
  const profile = table(context.seccompProfile ?? outer.seccompProfile);
  const ports = Array.isArray(container.ports) ? container.ports.map(table) : [];
  const nonRoot = context.runAsNonRoot ?? outer.runAsNonRoot;
  return found(container.name, [
    ['privileged', context.privileged === true],
    ['may gain privileges', context.allowPrivilegeEscalation !== false],
    ['writes to its root', context.readOnlyRootFilesystem !== true],
    ['keeps capabilities', !Array.isArray(drop) || !drop.includes('ALL')],
    ['adds capabilities', !Array.isArray(add) || add.length > 0],
    ['root', nonRoot !== true || context.runAsUser === 0],
    ['no profile', profile.type !== 'RuntimeDefault' && profile.type !== 'Localhost'],
    ['unmasked /proc', 'procMount' in context && context.procMount !== 'Default'],
    ['a port of the node', ports.some((port) => 'hostPort' in port)],
    ...profileChecks(context),
  ]);
}

function profileChecks(context: Json): readonly Check[] {
  const isOpen = (profile: unknown): boolean => table(profile).type === 'Unconfined';
  // A level of SELinux only separates further. A type or a user may be wider.
  const { level: _level, ...wider } = table(context.seLinuxOptions);
  return [
    ['unconfined', isOpen(context.seccompProfile) || isOpen(context.appArmorProfile)],
    ['other labels', Object.keys(wider).length > 0 || 'windowsOptions' in context],
  ];
}

function found(where: string, checks: readonly Check[]): string[] {
  return checks.filter(([, isWeak]) => isWeak).map(([what]) => `${where}: ${what}`);
}

function table(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}
