import type { Problem, Rule } from '../diagnostic.ts';
import type { Installation, PlacedContainer } from '../installation.ts';

const IDS = ['runAsUser', 'runAsGroup'] as const;

export const numericUsers: Rule = {
  id: 'numeric-users',
  check: (installation) =>
    installation.containers.flatMap((placed) =>
      IDS.filter((field) => !(Number(idOf(placed, field, installation)) > 0)).map((field) => ({
        path: `${placed.path}.securityContext.${field}`,
        wrong: 'is not a number above 0, here or for the Pod',
        why: 'the image would decide, and the kubelet cannot tell whether a name is root',
        todo: 'set the number: 65531 for the ambassador, 65532 for the operator, 65530 for the gate',
      })),
    ),
};

export const distinctUsers: Rule = {
  id: 'distinct-users',
  check: (installation) => {
    const { containers, proxy, gate, socket } = installation;
    const shared = (holder: PlacedContainer | undefined, what: string): readonly Problem[] => {
      const own = holder && idOf(holder, 'runAsUser', installation);
      if (own === undefined) return [];
      return containers
        .filter((placed) => placed !== holder && idOf(placed, 'runAsUser', installation) === own)
        .map(({ path }) => ({
          path: `${path}.securityContext.runAsUser`,
          wrong: `is ${own}, as for the ${what}`,
          why: 'files of one user, and its processes in /proc, are open to the other container',
          todo: 'give each container a number of its own',
        }));
    };
    return [
      ...(socket === undefined ? shared(proxy, 'ambassador') : []), // see unix-socket
      ...shared(gate, 'gate'),
    ];
  },
};

export const noGroupForFiles: Rule = {
  id: 'no-fs-group',
  check: ({ pod }) =>
    pod.securityContext?.fsGroup === undefined
      ? []
      : [
          {
            level: 'warning',
            path: 'securityContext.fsGroup',
            wrong: 'is set',
            why: 'every container gets that group, and the token becomes readable for it',
            todo: 'leave it out unless a volume of the operator needs it',
          },
        ],
};

export const unixSocket: Rule = {
  id: 'unix-socket',
  check: (installation) => {
    const { socket, proxy, operator, pod } = installation;
    if (socket === undefined) return [];
    const mount = mountOf(proxy, socket);
    if (!socket.startsWith('/') || mount === undefined) {
      return [
        {
          path: `${proxy.path}.args`,
          wrong: `has --unix-socket=${socket}, which is in no mounted volume`,
          why: 'the operator cannot reach it; an abstract socket (@) is open to the whole Pod',
          todo: 'name a file in an emptyDir that both containers mount',
        },
      ];
    }
    const volume = (pod.volumes ?? []).find(({ name }) => name === mount.name);
    const problems: Problem[] = [];
    const path = `volumes[${mount.name}].emptyDir`;
    if (volume?.emptyDir?.medium !== 'Memory') {
      const wrong = 'is not { medium: Memory }';
      const why = 'the socket needs no disk, and must not outlive the Pod';
      problems.push({ path, wrong, why, todo: 'set emptyDir: { medium: Memory, sizeLimit: 1Mi }' });
    } else if (volume.emptyDir?.sizeLimit === undefined) {
      const wrong = 'has no sizeLimit';
      const why = 'what is written there counts as memory of the containers';
      problems.push({ path, wrong, why, todo: 'set sizeLimit: 1Mi' });
    }
    return [...problems, ...ofOperator(installation, operator, mount.name, socket)];
  },
};

function ofOperator(
  installation: Installation,
  operator: PlacedContainer | undefined,
  volume: string,
  socket: string,
): readonly Problem[] {
  if (operator === undefined) return [];
  const problems: Problem[] = [];
  if (mountOf(operator, socket)?.name !== volume) {
    problems.push({
      path: `${operator.path}.volumeMounts`,
      wrong: `does not have the volume ${volume} where ${socket} is`,
      why: 'the operator cannot reach the ambassador',
      todo: 'mount it at the same path as the ambassador does',
    });
  }
  const own = idOf(installation.proxy, 'runAsUser', installation);
  if (own !== idOf(operator, 'runAsUser', installation)) {
    problems.push({
      path: `${operator.path}.securityContext.runAsUser`,
      wrong: `is not ${own}, as for the ambassador`,
      why: 'kubectl makes the socket for its own user alone',
      todo: `set runAsUser: ${own}`,
    });
  }
  return problems;
}

export const nothingShared: Rule = {
  id: 'no-shared-volumes',
  check: ({ containers, proxy, socket }) => {
    const own = (proxy.container.volumeMounts ?? []).map(({ name }) => name);
    const ofSocket = socket === undefined ? undefined : mountOf(proxy, socket)?.name;
    return containers
      .filter((placed) => placed !== proxy)
      .flatMap(({ container, path }) =>
        (container.volumeMounts ?? [])
          .filter(({ name }) => own.includes(name) && name !== ofSocket)
          .map(({ name }) => ({
            path: `${path}.volumeMounts[${name}]`,
            wrong: 'is a volume that the ambassador mounts as well',
            why: 'the containers share loopback and nothing else',
            todo: 'give each its own volume',
          })),
      );
  },
};

function idOf(
  { container }: PlacedContainer,
  field: (typeof IDS)[number],
  { pod }: Installation,
): number | undefined {
  return container.securityContext?.[field] ?? pod.securityContext?.[field];
}

function mountOf({ container }: PlacedContainer, file: string) {
  return (container.volumeMounts ?? []).find(({ mountPath }) =>
    file.startsWith(`${mountPath.replace(/\/$/, '')}/`),
  );
}
