import { ConfigurationError } from 'chancery';
import { isDnsLabel, isDnsSubdomain, type OperatorModel } from 'chancery/internal';
import type { PackageMetadata } from '../metadata.ts';
import {
  type BundleOptions,
  bundleName,
  INSTALL_MODES,
  OLDEST_KUBERNETES,
} from './bundle-options.ts';

const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$/;
const CHANNEL = /^[a-z0-9]+([._-][a-z0-9]+)*$/;
const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
/** Matches comparisons such as `>=1.0.0 <1.2.0`, separated by spaces or `||`. */
const RANGE = /^ *(?:(?:[<>=!]{1,2} *)?v?\d[\w.+-]*(?: *\|\| *| +|,|$))+$/;

/**
 * Checks the options.
 *
 * @throws ConfigurationError `CONFIG` for an option that OLM would refuse. The message is one
 * sentence.
 */
export function requireUsable(
  model: OperatorModel,
  metadata: PackageMetadata,
  options: BundleOptions,
): void {
  const { version, minKubeVersion = OLDEST_KUBERNETES } = metadata;
  requireThat(
    '--version',
    version,
    'a version such as 1.2.3, without "v" and "+"',
    VERSION.test(version),
  );
  const name = bundleName(model, metadata);
  requireThat(
    'the name of the bundle',
    name,
    'a DNS subdomain of at most 63 characters',
    isName(name),
  );
  requireThat(
    '--channels',
    options.channels.join(','),
    'one channel or more',
    options.channels.length > 0,
  );
  for (const channel of options.channels) {
    const isChannel = CHANNEL.test(channel) && channel.length <= 63;
    requireThat('--channels', channel, 'lower-case letters, digits and . _ -', isChannel);
  }
  const { defaultChannel } = options;
  if (defaultChannel !== undefined) {
    const known = options.channels.join(', ');
    requireThat(
      '--default-channel',
      defaultChannel,
      `one of the channels: ${known}`,
      options.channels.includes(defaultChannel),
    );
  }
  requireTexts(options);
  requirePredecessors(name, options);
  requireModes(options);
  requireKubernetes(minKubeVersion);
  for (const architecture of options.architectures ?? []) {
    const isKnown = /^[a-z0-9]{1,32}$/.test(architecture);
    requireThat('an architecture', architecture, 'a name such as arm64', isKnown);
  }
}

function requireTexts({ createdAt, skipRange }: BundleOptions): void {
  if (createdAt !== undefined) {
    requireThat(
      '--created-at',
      createdAt,
      'a time such as 2030-01-02T03:04:05Z',
      DATE.test(createdAt),
    );
  }
  if (skipRange !== undefined) {
    requireThat(
      '--skip-range',
      skipRange,
      'comparisons such as ">=1.0.0 <1.2.0"',
      RANGE.test(skipRange),
    );
  }
}

function isName(text: string): boolean {
  return text.length <= 63 && isDnsSubdomain(text) && isDnsLabel(text.replaceAll('.', '-'));
}

function requirePredecessors(name: string, { replaces, skips = [] }: BundleOptions): void {
  const named = [
    ...(replaces === undefined ? [] : [['--replaces', replaces] as const]),
    ...skips.map((skip) => ['--skips', skip] as const),
  ];
  for (const [option, before] of named) {
    requireThat(
      option,
      before,
      'the name of another bundle, such as website.v1.2.3',
      isName(before) && before !== name,
    );
  }
}

function requireModes({ installModes = [] }: BundleOptions): void {
  for (const mode of installModes) {
    requireThat('--install-modes', mode, INSTALL_MODES.join(', '), INSTALL_MODES.includes(mode));
  }
}

function requireKubernetes(version: string): void {
  const [major = 0, minor = 0] = /^\d+\.\d+\.\d+$/.test(version)
    ? version.split('.').map(Number)
    : [];
  const [, oldest = 0] = OLDEST_KUBERNETES.split('.').map(Number);
  const isNew = major > 1 || (major === 1 && minor >= oldest);
  requireThat(
    'minKubeVersion',
    version,
    `${OLDEST_KUBERNETES} or newer, because the Pod uses preStop.sleep`,
    isNew,
  );
}

function requireThat(option: string, value: string, wanted: string, holds: boolean): void {
  if (holds) return;
  throw new ConfigurationError(
    `${option} must be ${wanted}; got ${JSON.stringify(value.slice(0, 100))}`,
  );
}
