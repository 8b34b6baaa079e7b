import type { ContainerPlan } from './container-plan.ts';
import type { PlainTools } from './plain-tools.ts';

/**
 * Where the machine's root is while a container is prepared: the tools are of the machine, and the
 * container's root has none. The folder is one that runtimes make as well, and stays empty.
 */
const GATE = '/dev/mqueue';

const DEVICES = ['null', 'zero', 'full', 'random', 'urandom'];

export interface ContainerPlace {
  /** The image's files, which are not changed. */
  readonly rootfs: string;
  /** An empty folder of the machine to mount things on, in the container's own mounts. */
  readonly work: string;
  readonly hostname: string;
  readonly address: string;
}

/**
 * What a container runtime does, as a script of the shell that becomes the container's first process:
 * root, mounts, user, rights. It says `ready` on its file descriptor 3 and waits for a line there:
 * by then somebody outside has taken the machine's root away with `leaveCommand`, and it becomes
 * the container's program.
 *
 * @remarks To be run as the first process in mounts and processes of its own.
 */
export function containerScript(
  plan: ContainerPlan,
  place: ContainerPlace,
  tools: PlainTools,
): string {
  const { work } = place;
  const mount = tools.path.mount;
  return [
    `${mount} -t tmpfs -o mode=755 tmpfs ${quoted(work)}`,
    `cd ${quoted(work)}`,
    'mkdir upper scratch root',
    `${mount} -t overlay overlay -o ${quoted(`lowerdir=${place.rootfs},upperdir=upper,workdir=scratch`)} root`,
    'cd root',
    'mkdir -p proc dev etc',
    `${mount} -t proc -o nosuid,nodev,noexec proc proc`,
    `${mount} -t tmpfs -o nosuid,mode=755,size=64k tmpfs dev`,
    `mkdir .${GATE}`,
    ...DEVICES.map((name) => `: >dev/${name}; ${mount} --bind /dev/${name} dev/${name}`),
    `printf '127.0.0.1\\tlocalhost\\n%s\\t%s\\n' ${place.address} ${quoted(place.hostname)} >etc/hosts`,
    ...plan.mounts.flatMap(({ source, target, readOnly }) => [
      `mkdir -p ${quoted(`.${target}`)}`,
      `${mount} --bind ${quoted(source)} ${quoted(`.${target}`)}`,
      `${mount} -o remount,bind,nosuid,nodev${readOnly ? ',ro' : ''} ${quoted(`.${target}`)}`,
    ]),
    ...(plan.readOnlyRoot ? [`${mount} -o remount,ro .`] : []),
    `${tools.path.pivot_root} . .${GATE}`,
    `cd ${quoted(plan.workingDir)}`,
    `exec ${confined(plan, tools).map(quoted).join(' ')}`,
  ].join('\n');
}

/** Takes the machine's root away from a container that is `ready`. To be run among its mounts and processes. */
export function leaveCommand(tools: PlainTools): readonly string[] {
  return [...tools.below(GATE, 'umount'), '-l', GATE];
}

/** The container's program, with its user, rights and environment and nothing of the machine's. */
function confined(plan: ContainerPlan, tools: PlainTools): readonly string[] {
  const groups = plan.groups.length === 0 ? '--clear-groups' : `--groups=${plan.groups.join()}`;
  const wait = 'echo ready >&3; read -r go <&3; exec 3<&-; unset PWD OLDPWD; exec "$@"';
  return [
    ...tools.below(GATE, 'setpriv'),
    ...[`--reuid=${plan.uid}`, `--regid=${plan.gid}`, groups],
    ...['--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all'],
    ...(plan.noNewPrivileges ? ['--no-new-privs'] : []),
    ...[
      ...tools.below(GATE, 'env'),
      '-i',
      ...Object.entries(plan.env).map((pair) => pair.join('=')),
    ],
    ...[...tools.below(GATE, 'sh'), '-euc', wait, 'sh', ...plan.argv],
  ];
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
