import { isIP } from 'node:net';
import { ConfigurationError } from '../../core/errors.ts';
import { namespaceFlag, parseFlags, portFlag } from '../flags.ts';

/** The command line of `chancery apiserver`. */
export interface ApiserverArguments {
  /** 0 for any free port. */
  readonly port: number;
  readonly address: string;
  readonly kubeconfigPath: string | undefined;
  /** Serve TLS, and require a token. */
  readonly tls: boolean;
  /** Overwrite the kubeconfig even if another program wrote it. */
  readonly force: boolean;
  /** Manifests, folders of manifests, or `-`, in the order given. */
  readonly paths: readonly string[];
  /** Created at the start. Objects without a namespace go there; undefined for `default`. */
  readonly namespace: string | undefined;
  readonly workloads: boolean;
  /** The release to emulate; undefined for the newest known. */
  readonly version: KubernetesVersion | undefined;
}

/** Releases that differ in ways that clients notice. */
const VERSIONS = ['1.24', '1.30', '1.33', '1.36', '1.38'] as const;

export type KubernetesVersion = (typeof VERSIONS)[number];

/** The port that kubectl uses when it has no configuration. */
const DEFAULT_PORT = 8_080;

const OPTIONS = {
  port: { type: 'string' },
  address: { type: 'string' },
  'kubeconfig-out': { type: 'string' },
  tls: { type: 'boolean' },
  force: { type: 'boolean' },
  filename: { type: 'string', short: 'f', multiple: true },
  namespace: { type: 'string', short: 'n' },
  workloads: { type: 'boolean' },
  'no-workloads': { type: 'boolean' },
  'kubernetes-version': { type: 'string' },
} as const;

/** @throws ConfigurationError `CONFIG` in one line that says what was expected and what was given. */
export function parseApiserverArguments(args: readonly string[]): ApiserverArguments {
  const { values, positionals } = parseFlags(args, OPTIONS);
  const [surplus] = positionals;
  if (surplus !== undefined) {
    throw new ConfigurationError(
      `expected options only, got ${JSON.stringify(surplus)}; manifests are given with -f`,
    );
  }
  if (values.workloads === true && values['no-workloads'] === true) {
    throw new ConfigurationError('expected --workloads or --no-workloads, got both');
  }
  const kubeconfigPath = values['kubeconfig-out'];
  if (kubeconfigPath === '') throw new ConfigurationError('--kubeconfig-out must name a file');
  if (values.force === true && kubeconfigPath === undefined) {
    throw new ConfigurationError('--force is for --kubeconfig-out, which is not given');
  }
  if (values.tls === true && kubeconfigPath === undefined) {
    throw new ConfigurationError(
      '--tls needs --kubeconfig-out: the certificate authority and the token are told there alone',
    );
  }
  return {
    port: portFlag('--port', values.port) ?? DEFAULT_PORT,
    address: addressOf(values.address),
    kubeconfigPath,
    tls: values.tls === true,
    force: values.force === true,
    paths: values.filename ?? [],
    namespace: namespaceFlag(values.namespace),
    workloads: values['no-workloads'] !== true,
    version: versionOf(values['kubernetes-version']),
  };
}

function versionOf(text: string | undefined): KubernetesVersion | undefined {
  if (text === undefined) return undefined;
  const version = VERSIONS.find((known) => known === text.replace(/^v/, ''));
  if (version !== undefined) return version;
  throw new ConfigurationError(
    `--kubernetes-version must be 1.24, 1.30, 1.33, 1.36 or 1.38, not ${JSON.stringify(text)}`,
  );
}

function addressOf(text: string | undefined): string {
  if (text === undefined) return '127.0.0.1';
  if (isIP(text) !== 0) return text;
  throw new ConfigurationError(
    `--address must be an IP address, such as 127.0.0.1, not ${JSON.stringify(text)}`,
  );
}
