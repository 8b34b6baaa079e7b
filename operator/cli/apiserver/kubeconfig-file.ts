import { open, readFile, rename, rm } from 'node:fs/promises';
import { ConfigurationError, messageOf } from '../../core/errors.ts';
import { formatYaml } from '../../core/yaml.ts';

/** The first line of every file that we write, by which we know it again. */
const SIGNATURE = '# Written by `chancery apiserver`, which overwrites it: keep nothing in here.';

const NAME = 'chancery';

interface KubeconfigOptions {
  /** URL of the API server. */
  readonly server: string;
  /** PEM of the certificate authority, and a bearer token, of a server with TLS. */
  readonly credentials?: { readonly ca: string; readonly token: string };
  /** What kubectl takes where no namespace is named. */
  readonly namespace: string;
}

/**
 * A kubeconfig with one context.
 *
 * It is written 0600, whole or not at all.
 *
 * @throws ConfigurationError `CONFIG` that names the file, when it cannot be written.
 */
export async function writeKubeconfig(path: string, options: KubeconfigOptions): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(`${SIGNATURE}\n${formatYaml(kubeconfig(options))}`);
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw unwritable(path, messageOf(error), error);
  }
}

/**
 * Asked before anything is started.
 *
 * @throws ConfigurationError `CONFIG` when a file of somebody else stands there.
 */
export async function requireOurs(path: string): Promise<void> {
  const present = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw unwritable(path, messageOf(error), error);
  });
  if (present === undefined || present.startsWith(SIGNATURE)) return;
  throw unwritable(path, 'another file is there; name a new one, or add --force to overwrite it');
}

function unwritable(path: string, why: string, cause?: unknown): ConfigurationError {
  return new ConfigurationError(`cannot write --kubeconfig-out ${path}: ${why}`, { cause });
}

function kubeconfig({ server, namespace, credentials }: KubeconfigOptions): object {
  const user = credentials === undefined ? {} : { token: credentials.token };
  const trust =
    credentials === undefined
      ? {}
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
