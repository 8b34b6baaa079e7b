import { ConfigurationError } from '../../core/errors.ts';

/** The flags of charts and bundles, for `parseFlags`. */
export const PACKAGE_FLAGS = {
  'allow-key-in-operator': { type: 'boolean' },
  channels: { type: 'string' },
  'created-at': { type: 'string' },
  'default-channel': { type: 'string' },
  'install-modes': { type: 'string' },
  metadata: { type: 'string' },
  pin: { type: 'boolean' },
  replaces: { type: 'string' },
  sample: { type: 'string', multiple: true },
  'skip-range': { type: 'string' },
  skips: { type: 'string', multiple: true },
  version: { type: 'string' },
} as const;

const INSTALL_MODES = [
  'OwnNamespace',
  'SingleNamespace',
  'MultiNamespace',
  'AllNamespaces',
] as const;

/** What the command line says about a package. */
export interface PackageArguments {
  readonly version: string | undefined;
  /** A file. */
  readonly metadata: string | undefined;
  /** Every image has a digest. */
  readonly pin: boolean;
  readonly channels: readonly string[];
  readonly defaultChannel?: string;
  /** The name of the bundle that this one replaces. */
  readonly replaces?: string;
  readonly skips: readonly string[];
  /** Files or folders of objects that are shown in place of generated ones. */
  readonly samples: readonly string[];
  readonly skipRange?: string;
  readonly installModes: readonly (typeof INSTALL_MODES)[number][];
  readonly createdAt?: string;
  readonly allowKeyInOperator: boolean;
}

/** The values of the flags. */
type Values = {
  readonly [flag in keyof typeof PACKAGE_FLAGS]?: string | boolean | readonly string[] | undefined;
} & {
  readonly [flag in Exclude<
    keyof typeof PACKAGE_FLAGS,
    'allow-key-in-operator' | 'pin' | 'sample' | 'skips'
  >]?: string | undefined;
} & { readonly [flag in 'sample' | 'skips']?: readonly string[] | undefined };

/** @throws ConfigurationError `CONFIG` for an install mode that OLM does not know, and for a time that is none. */
export function packageArgumentsOf(values: Values): PackageArguments {
  const createdAt = values['created-at'];
  if (createdAt !== undefined && Number.isNaN(Date.parse(createdAt))) {
    throw new ConfigurationError(
      `--created-at must be a time such as 2026-01-31T12:00:00Z, not ${JSON.stringify(createdAt)}`,
    );
  }
  const { replaces, version, metadata, channels = 'stable', skips = [], sample = [] } = values;
  const defaultChannel = values['default-channel'];
  const skipRange = values['skip-range'];
  return {
    version,
    metadata,
    pin: values.pin === true,
    channels: wordsOf('--channels', channels),
    ...(defaultChannel !== undefined && { defaultChannel }),
    ...(replaces !== undefined && { replaces }),
    skips,
    samples: sample,
    ...(skipRange !== undefined && { skipRange }),
    installModes: installModesOf(values['install-modes']),
    ...(createdAt !== undefined && { createdAt }),
    allowKeyInOperator: values['allow-key-in-operator'] === true,
  };
}

function installModesOf(text: string = 'AllNamespaces'): PackageArguments['installModes'] {
  return wordsOf('--install-modes', text).map((word) => {
    const mode = INSTALL_MODES.find((each) => each === word);
    if (mode !== undefined) return mode;
    throw new ConfigurationError(
      `--install-modes must be of ${INSTALL_MODES.join(', ')}, not ${JSON.stringify(word)}`,
    );
  });
}

function wordsOf(option: string, text: string): readonly string[] {
  const words = text.split(',').map((word) => word.trim());
  if (words.every((word) => word !== '')) return [...new Set(words)];
  throw new ConfigurationError(`${option} must be words such as a,b, not ${JSON.stringify(text)}`);
}
