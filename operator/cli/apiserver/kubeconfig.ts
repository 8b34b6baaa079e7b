import { readFile } from 'node:fs/promises';
import { ConfigurationError, messageOf } from '../../core/errors.ts';
import { formatYaml } from '../../core/yaml.ts';
import { writeWholeFile } from './whole-file.ts';

/**
 * The first line of every kubeconfig that the toolkit writes. Only files that begin with it are
 * overwritten.
 */
const SIGNATURE = '# Written by `chancery`, which overwrites it: keep nothing in here.';

const NAME = 'chancery';

interface KubeconfigOptions {
  /** URL of the API server. */
  readonly server: string;
  /** The PEM of the server's certificate authority, and a bearer token. Only for a server with TLS. */
  readonly credentials?: { readonly ca: string; readonly token: string };
  /** The namespace that kubectl uses by default. */
  readonly namespace: string;
}

/**
 * Writes a kubeconfig with one context.
 *
 * The file has mode 0600. It is written completely or not at all.
 *
 * @throws ConfigurationError `CONFIG` with the path of the file, when the file cannot be written.
 */
export async function writeKubeconfig(path: string, options: KubeconfigOptions): Promise<void> {
  try {
    await writeWholeFile(path, `${SIGNATURE}\n${formatYaml(kubeconfig(options))}`, 0o600);
  } catch (error) {
    throw unwritable(path, messageOf(error), error);
  }
}

/**
 * Checks before startup that there is no file at `path`, or that `writeKubeconfig` has written it.
 *
 * @param remedy - the remedy in the message when the file at `path` is not ours.
 * @throws ConfigurationError `CONFIG` when the file at `path` was not written by `writeKubeconfig`,
 * or cannot be read.
 */
export async function requireOurs(path: string, remedy: string): Promise<void> {
  const present = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw unwritable(path, messageOf(error), error);
  });
  if (present === undefined || present.startsWith(SIGNATURE)) return;
  throw unwritable(path, `another file has this name; ${remedy}`);
}

function unwritable(path: string, why: string, cause?: unknown): ConfigurationError {
  return new ConfigurationError(`cannot write --kubeconfig-out ${path}: ${why}`, { cause });
}

function kubeconfig({ server, namespace, credentials }: KubeconfigOptions): object {
  const user = credentials === undefined ? {} : { token: credentials.token };
  // Without `insecure-skip-tls-verify`, @kubernetes/client-node refuses plain HTTP. client-go
  // refuses this field together with a certificate authority.
  const trust =
    credentials === undefined
      ? { 'insecure-skip-tls-verify': true }
      : { 'certificate-authority-data': Buffer.from(credentials.ca).toString('base64') };
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': NAME,
    clusters: [{ name: NAME, cluster: { server, ...trust } }],
    contexts: [{ name: NAME, context: { cluster: NAME, user: NAME, namespace } }],
    users: [{ name: NAME, user }],
  };
}
