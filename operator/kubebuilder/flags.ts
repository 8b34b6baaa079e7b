import { ConfigurationError } from '../core/errors.ts';
import type { PluginFlag, Subcommand } from './protocol.ts';

/**
 * kubebuilder puts the flags of all plugins of a command into one set. Until version 4.12 a name that two
 * plugins define makes it panic, whatever the command is. So no flag here may have the name of a flag of
 * kubebuilder or of a plugin that comes with it: not `force`, `plural`, `namespaced`, `domain` or the like.
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

/** What kubebuilder defines for a subcommand. */
export function flagsOf(subcommand: Subcommand): readonly PluginFlag[] {
  return FLAGS[subcommand];
}

/** Flags by name: a text for `string` and `int`, undefined for flags that were not given. */
export interface FlagValues {
  text(name: string): string | undefined;
  bool(name: string): boolean | undefined;
}

/** What Go's `strconv.ParseBool` takes. */
const BOOLEANS: Readonly<Record<string, boolean>> = Object.fromEntries([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((text) => [text, true]),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text) => [text, false]),
]);

/**
 * The flags of a subcommand among the words of the command line. kubebuilder sends every word that begins with
 * `--`, those of other plugins too, and the one word after each of them. The last value of a flag wins. A
 * default is not applied.
 *
 * @param also - flags of kubebuilder or of other plugins, by name; they are read as texts.
 * @throws ConfigurationError `CONFIG` for a flag without a value, and for a value of another type.
 */
export function flagValues(
  subcommand: Subcommand,
  args: readonly string[],
  also: readonly string[] = [],
): FlagValues {
  const types = new Map<string, PluginFlag['Type']>([
    ...also.map((name) => [name, 'string'] as const),
    ...FLAGS[subcommand].map(({ Name, Type }) => [Name, Type] as const),
  ]);
  const values = new Map<string, string | boolean>();
  for (const [at, word] of args.entries()) {
    const { 1: name = '', 2: inWord } = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    const type = types.get(name);
    if (type === undefined) continue;
    if (type === 'bool') values.set(name, booleanOf(name, inWord ?? 'true'));
    else values.set(name, textOf(name, inWord ?? args[at + 1]));
  }
  return {
    text: (name) => values.get(name) as string | undefined,
    bool: (name) => values.get(name) as boolean | undefined,
  };
}

function booleanOf(name: string, text: string): boolean {
  const value = Object.hasOwn(BOOLEANS, text) ? BOOLEANS[text] : undefined;
  if (value !== undefined) return value;
  throw new ConfigurationError(`--${name} must be true or false, not ${JSON.stringify(text)}`);
}

function textOf(name: string, text: string | undefined): string {
  if (text !== undefined && !text.startsWith('--')) return text;
  throw new ConfigurationError(`--${name} needs a value, such as --${name}=VALUE`);
}
