import type { PluginFlag, Subcommand } from './protocol.ts';

/**
 * kubebuilder merges the flags of all plugins of a command into one set. Up to version 4.12 it
 * panics in every command when two plugins define the same name. So no flag here may have the name
 * of a flag of kubebuilder or of one of its built-in plugins, such as `force`, `plural`,
 * `namespaced` or `domain`.
 */
const PROXY_PORT: PluginFlag = {
  Name: 'proxy-port',
  Type: 'int',
  Default: '8001',
  Usage: 'port of the proxy in the Pod, on the loopback address',
};

const UNIX_SOCKET: PluginFlag = {
  Name: 'unix-socket',
  Type: 'bool',
  Default: 'false',
  Usage:
    'refused, because client-go connects to no socket: the manager reaches the proxy through a port',
};

const AMBASSADOR_IMAGE: PluginFlag = {
  Name: 'ambassador-image',
  Type: 'string',
  Default: '',
  Usage: 'image of the container that runs kubectl proxy; empty: the default of chancery',
};

const TYPESCRIPT: PluginFlag = {
  Name: 'typescript',
  Type: 'bool',
  Default: 'false',
  Usage: 'add a project of TypeScript: below typescript/ when this project has Go',
};

const API_FLAGS: readonly PluginFlag[] = [
  {
    ...TYPESCRIPT,
    Usage: 'write the kind, its controller and its test in TypeScript',
  },
  {
    Name: 'owns',
    Type: 'string',
    Default: '',
    Usage: 'with --typescript: resources that it creates, such as deployments.apps,services',
  },
  {
    Name: 'cluster-scoped',
    Type: 'bool',
    Default: 'false',
    Usage: 'with --typescript: the objects of the kind are in no namespace',
  },
  {
    Name: 'plural-name',
    Type: 'string',
    Default: '',
    Usage: 'with --typescript: the plural of the kind where it is an exception, such as indices',
  },
];

const AMBASSADOR_FLAGS = [PROXY_PORT, UNIX_SOCKET, AMBASSADOR_IMAGE];

const FLAGS: Readonly<Record<Subcommand, readonly PluginFlag[]>> = {
  init: [...AMBASSADOR_FLAGS, TYPESCRIPT],
  api: API_FLAGS,
  webhook: [],
  edit: [
    ...AMBASSADOR_FLAGS.map((flag) =>
      flag === UNIX_SOCKET ? flag : { ...flag, Usage: `${flag.Usage}; not given: as before` },
    ),
    TYPESCRIPT,
  ],
};

/** The flags that kubebuilder defines for a subcommand. */
export function flagsOf(subcommand: Subcommand): readonly PluginFlag[] {
  return FLAGS[subcommand];
}
