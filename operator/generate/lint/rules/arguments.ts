import { AMBASSADOR_FLAGS } from '../../../access/filter/ambassador-image.ts';
import type { Problem, Rule } from '../diagnostic.ts';
import { argumentPath } from '../installation.ts';
import type { ProxyFlags } from '../proxy-flags.ts';

/**
 * Flags that make kubectl use other credentials, another server or another identity. For each flag,
 * the reason why it is refused.
 */
const CREDENTIALS: Readonly<Record<string, string>> = {
  token: 'it never changes, and the process list shows it',
  kubeconfig: 'kubectl then does not use the token that the kubelet renews',
  server: 'with it alone kubectl uses no token at all',
  as: 'kubectl then ignores the files in the Pod, and a client may name somebody else',
  'as-group': 'kubectl then acts as somebody else',
  'as-uid': 'kubectl then acts as somebody else',
  'as-user-extra': 'kubectl then acts as somebody else',
  username: 'kubectl then logs in as somebody else',
  password: 'the process list shows it',
  user: 'it names an entry of a kubeconfig, and there must be none',
  context: 'it names an entry of a kubeconfig, and there must be none',
  cluster: 'it names an entry of a kubeconfig, and there must be none',
  'client-certificate': 'kubectl then does not use the token that the kubelet renews',
  'client-key': 'kubectl then does not use the token that the kubelet renews',
  'certificate-authority': 'it belongs to --server, with which kubectl uses no token',
  'insecure-skip-tls-verify': 'an attacker on the network could read the token',
  'tls-server-name': 'it belongs to --server, with which kubectl uses no token',
};

export const noCredentialFlags: Rule = {
  id: 'no-credential-flags',
  check: ({ flags, proxy }) =>
    [...flags.values].flatMap(([name, flag]) => {
      const why = CREDENTIALS[name];
      if (why === undefined) return [];
      const path = argumentPath(proxy, flag);
      return [
        {
          path,
          wrong: `gives --${name}`,
          why,
          todo: 'leave it out: kubectl finds the mounted files',
        },
      ];
    }),
};

/** Required and allowed flags. Other rules check their values. */
const NEEDED = new Set([
  'accept-hosts',
  'accept-paths',
  'address',
  'api-prefix',
  'append-server-path',
  'disable-compression',
  'disable-filter',
  'keepalive',
  'port',
  'reject-methods',
  'reject-paths',
  'request-timeout',
  'unix-socket',
  'v',
  'www',
  'www-prefix',
]);

export const knownArguments: Rule = {
  id: 'known-arguments',
  check: ({ flags, proxy, kubectl }) => {
    const hasCommand = (proxy.container.command ?? []).length > 0;
    if (hasCommand && kubectl === undefined) return []; // see entry-point
    const needless = [...flags.values].filter(
      ([name]) => !NEEDED.has(name) && CREDENTIALS[name] === undefined,
    );
    return [
      ...needless.map(([name, { at }]) => ({ value: `--${name}`, at })),
      ...flags.unknown,
      ...flags.words.filter(({ value, at }) => value !== 'proxy' && !(hasCommand && at === 0)),
    ].map((word) => ({
      path: argumentPath(proxy, word),
      wrong: `gives ${JSON.stringify(word.value)}`,
      why: 'kubectl proxy has no such flag, and ends at once or means something else by it',
      todo: 'leave it out',
    }));
  },
};

export const entryPoint: Rule = {
  id: 'entry-point',
  check: ({ proxy: { container, path }, kubectl, flags }): readonly Problem[] => {
    const todo = 'leave it out, use the image of Dockerfile.proxy, and give flags as args';
    if (kubectl !== undefined) return missingFlags(flags, `${path}.command`);
    if ((container.command ?? []).length > 0) {
      return [
        {
          path: `${path}.command`,
          wrong: 'replaces the entry point of the image',
          why: 'its flags close what kubectl proxy leaves open: hosts, address, files, methods',
          todo,
        },
      ];
    }
    if (container.args?.[0] !== 'proxy') return [];
    return [
      {
        path: `${path}.args[0]`,
        wrong: 'is "proxy", so the image is kubectl alone',
        why: 'every flag that is not given has a default that leaves something open',
        todo: 'take what `chancery generate manifests --ambassador-image` writes: command, args, env',
      },
    ];
  },
};

/**
 * Flags that the arguments must contain when the entry point of the image does not set them.
 * `--accept-paths` is not among them, because the rule `accept-paths-given` checks it.
 */
const REQUIRED_FLAGS = [
  ...AMBASSADOR_FLAGS.map((flag) => flag.replace(/^--|=.*$/g, '')),
  'reject-paths',
  'reject-methods',
];

function missingFlags({ values }: ProxyFlags, path: string): readonly Problem[] {
  const missing = REQUIRED_FLAGS.filter((name) => !values.has(name));
  if (missing.length === 0) return [];
  return [
    {
      path,
      wrong: `replaces the entry point of the image, and leaves out --${missing.join(', --')}`,
      why: 'every flag that is not given has a default that leaves something open',
      todo: 'take what `chancery generate manifests --ambassador-image` writes',
    },
  ];
}

export const noSecretInArguments: Rule = {
  id: 'no-secret-in-arguments',
  check: ({ containers }) =>
    containers.flatMap(({ container, path }) => {
      const secret = (container.env ?? [])
        .filter(({ valueFrom }) => valueFrom?.secretKeyRef != null)
        .map(({ name }) => name);
      return (['command', 'args'] as const).flatMap((field) =>
        (container[field] ?? []).flatMap((word, at) =>
          secret
            .filter((name) => word.includes(`$(${name})`))
            .map((name) => ({
              path: `${path}.${field}[${at}]`,
              wrong: `has $(${name}), which comes from a Secret`,
              why: 'arguments stand in /proc for every process of the node, and in crash reports',
              todo: 'mount the Secret as a file and name the file',
            })),
        ),
      );
    }),
};
