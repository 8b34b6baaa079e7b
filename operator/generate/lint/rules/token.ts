import type { Volume } from '../../../model/kubernetes/core-v1.ts';
import type { Problem, Rule } from '../diagnostic.ts';
import type { Installation } from '../installation.ts';

/** The default folder in which kubectl looks for its credentials. */
const FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * The shortest lifetime of a token that the kubelet accepts, and the longest lifetime that is safe
 * if a token is stolen.
 */
const MIN_SECONDS = 600;
const MAX_SECONDS = 3600;

export const tokenOnlyInProxy: Rule = {
  id: 'token-only-in-proxy',
  check: ({ containers, proxy, pod }) => {
    const withToken = (pod.volumes ?? []).filter(hasToken).map(({ name }) => name);
    const fieldsOfPod = (pod.volumes ?? []).filter(hasFieldsOnly).map(({ name }) => name);
    return containers
      .filter(({ container }) => container !== proxy.container)
      .flatMap(({ container, path }) =>
        (container.volumeMounts ?? [])
          .map((mount, at) => ({ ...mount, at }))
          .filter(
            ({ name, mountPath }) =>
              withToken.includes(name) ||
              (/^\/(?:var\/)?run\/secrets\/kubernetes\.io(?:\/|$)/.test(mountPath) &&
                !fieldsOfPod.includes(name)),
          )
          .map(({ name, mountPath, at }) => ({
            path: `${path}.volumeMounts[${at}]`,
            wrong: `mounts the volume ${name} at ${mountPath}`,
            why: 'the code in this container must not see a ServiceAccount token',
            todo: 'mount it in the ambassador only',
          })),
      );
  },
};

export const tokenInProxy: Rule = {
  id: 'token-in-proxy',
  check: ({ proxy: { container, path }, pod }) => {
    const withToken = (pod.volumes ?? []).filter(hasToken).map(({ name }) => name);
    const mounts = container.volumeMounts ?? [];
    const mount = mounts.find(({ name }) => withToken.includes(name));
    const folder = mount?.mountPath.replace('/run/', '/var/run/').replace('/var/var/', '/var/');
    if (mount === undefined || folder?.replace(/\/$/, '') !== FOLDER) {
      return [
        {
          path: `${path}.volumeMounts`,
          wrong: `no projected token at ${FOLDER}`,
          why: 'without it kubectl talks to localhost:8080 and does not complain',
          todo: 'mount a projected volume with serviceAccountToken, ca.crt and namespace there',
        },
      ];
    }
    if (mount.readOnly === true) return [];
    return [
      {
        level: 'warning',
        path: `${path}.volumeMounts[${mounts.indexOf(mount)}].readOnly`,
        wrong: 'is not true',
        why: 'only the kubelet has to write there',
        todo: 'set readOnly: true',
      },
    ];
  },
};

export const tokenLifetime: Rule = {
  id: 'token-lifetime',
  check: ({ pod }) =>
    (pod.volumes ?? []).flatMap(({ name, projected }) =>
      (projected?.sources ?? []).flatMap(({ serviceAccountToken }, at): readonly Problem[] => {
        const seconds = serviceAccountToken?.expirationSeconds ?? MAX_SECONDS;
        if (serviceAccountToken == null || (seconds >= MIN_SECONDS && seconds <= MAX_SECONDS))
          return [];
        return [
          {
            path: `volumes[${name}].projected.sources[${at}].serviceAccountToken.expirationSeconds`,
            wrong: `is ${seconds}`,
            why:
              seconds === 3607
                ? 'the API server takes 3607 for an old client, and issues a token for a year'
                : 'a token that leaks should be worthless soon, and the kubelet takes no less than 600',
            todo: 'set 3600, or less down to 600',
          },
        ];
      }),
    ),
};

export const automountOff: Rule = {
  id: 'automount-off',
  check: (installation) => {
    const { pod, objects, namespace } = installation;
    const why = 'a token would be mounted into every container';
    const todo = 'set automountServiceAccountToken: false';
    const path = 'automountServiceAccountToken';
    const ofPod =
      pod.automountServiceAccountToken === false
        ? []
        : [{ path, wrong: 'is not false', why, todo }];
    const accounts = objects.filter(
      ({ kind, metadata }) =>
        kind === 'ServiceAccount' &&
        metadata.name === pod.serviceAccountName &&
        (metadata.namespace ?? namespace) === namespace,
    );
    const ofAccount = accounts
      .filter((account) => (account as { [path]?: boolean })[path] !== false)
      .map(({ metadata }) => ({
        object: `ServiceAccount/${metadata.name}`,
        path,
        wrong: 'is not false',
        why: 'a second Pod with this account would have a token in every container',
        todo,
      }));
    return [...ofPod, ...ofAccount];
  },
};

export const noTokenSecret: Rule = {
  id: 'no-token-secret',
  check: ({ objects }) =>
    objects
      .filter(
        (object) =>
          object.kind === 'Secret' &&
          (object as { type?: string }).type === 'kubernetes.io/service-account-token',
      )
      .map(({ metadata }) => ({
        object: `Secret/${metadata.name}`,
        path: 'type',
        wrong: 'is kubernetes.io/service-account-token',
        why: 'such a token never expires, and everyone who can read Secrets has it',
        todo: 'delete it: the Pod mounts a token of an hour itself',
      })),
};

export const ownServiceAccount: Rule = {
  id: 'own-service-account',
  check: ({ pod }: Installation) => {
    const { serviceAccountName: name = 'default' } = pod;
    if (name !== 'default') return [];
    return [
      {
        path: 'serviceAccountName',
        wrong: 'is the account "default"',
        why: 'every other Pod of the namespace would have the rights of the operator',
        todo: 'name an account that only this operator uses',
      },
    ];
  },
};

/**
 * True for a volume that contains only fields of the Pod. Such a volume may be mounted at the
 * folder of the token, because a program may look there for the name of its namespace. That name is
 * not a credential.
 */
function hasFieldsOnly(volume: Volume): boolean {
  const { downwardAPI, projected } = volume;
  if (downwardAPI != null) return Object.keys(volume).length === 2;
  const sources = projected?.sources ?? [];
  const isField = (source: object): boolean => Object.keys(source).join() === 'downwardAPI';
  return sources.length > 0 && sources.every(isField);
}

function hasToken({ projected }: Volume): boolean {
  return (projected?.sources ?? []).some(({ serviceAccountToken }) => serviceAccountToken != null);
}
