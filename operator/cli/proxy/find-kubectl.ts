import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { ConfigurationError } from '../../core/errors.ts';

/**
 * The oldest accepted version of kubectl is 1.30. Earlier versions redirect a path with encoded
 * dots before they apply the filter: see proxy/README.md.
 */
const MINIMUM_MINOR = 30;

/**
 * Time limit for `kubectl version`. It takes a tenth of a second, but a wrapper may first download
 * kubectl.
 */
const VERSION_LIMIT_MS = 20_000;

type Environment = Readonly<Record<string, string | undefined>>;

/** A kubectl that can be an ambassador. */
export interface UsableKubectl {
  readonly path: string;
  /** The version, such as `v1.33.1`. */
  readonly version: string;
}

/**
 * Finds the kubectl at the path in `KUBECTL`, or else `kubectl` on the PATH.
 *
 * @throws ConfigurationError `CONFIG` with a remedy, when kubectl is missing, does not print its
 * version, or is too old.
 */
export async function findUsableKubectl(env: Environment): Promise<UsableKubectl> {
  const path = await findKubectl(env);
  const version = await versionOf(path, env);
  const [, major, minor] = /^v([0-9]+)\.([0-9]+)\./.exec(version) ?? [];
  if (Number(major) > 1 || Number(minor) >= MINIMUM_MINOR) return { path, version };
  throw new ConfigurationError(
    `${path} is kubectl ${version}, and 1.${MINIMUM_MINOR} or newer is needed: install a newer one ` +
      '(https://kubernetes.io/docs/tasks/tools), or name one with KUBECTL',
  );
}

async function findKubectl({ KUBECTL, PATH = '' }: Environment): Promise<string> {
  const name = KUBECTL?.trim() || 'kubectl';
  const places = name.includes('/')
    ? [name]
    : PATH.split(delimiter)
        .filter((folder) => folder !== '')
        .map((folder) => join(folder, name));
  for (const place of places) if (await isExecutable(place)) return place;
  throw new ConfigurationError(
    name === 'kubectl'
      ? 'no kubectl on the PATH: install it (https://kubernetes.io/docs/tasks/tools), or name one with KUBECTL'
      : `KUBECTL names ${JSON.stringify(name)}, which is no program: correct it, or unset it to use ` +
          'the kubectl on the PATH',
  );
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function versionOf(path: string, env: Environment): Promise<string> {
  try {
    const args = ['version', '--client', '--output=json'];
    const options = { env: { ...env, KUBERC: 'off' }, timeout: VERSION_LIMIT_MS };
    const { stdout } = await promisify(execFile)(path, args, options);
    const { clientVersion } = JSON.parse(stdout) as { clientVersion: { gitVersion: string } };
    return clientVersion.gitVersion;
  } catch (error) {
    throw new ConfigurationError(
      `${path} does not tell its version as kubectl does: try "${path} version --client", or name ` +
        'another one with KUBECTL',
      { cause: error },
    );
  }
}
