import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';

/** The architectures that Kubernetes publishes kubectl for, as the index and the downloads name them. */
export const ARCHITECTURES = ['amd64', 'arm64', 'ppc64le', 's390x'] as const;

export type Architecture = (typeof ARCHITECTURES)[number];

/** Which kubectl the ambassador's image has: proxy/kubectl.lock.json. */
export interface KubectlLock {
  /** `v1.37.1`. */
  readonly version: string;
  /** When the digests were looked up, `YYYY-MM-DD`. */
  readonly date: string;
  readonly image: string;
  /** `sha256:` of the image's index, which names one image for each architecture. */
  readonly digest: string;
  /** SHA-256 of the program itself, as published beside its download. */
  readonly binaries: Readonly<Partial<Record<Architecture, string>>>;
  /** Where the digests were found. */
  readonly sources: readonly string[];
}

/** The file, and the lines of the Dockerfile that must say the same. */
export interface LockFiles {
  readonly lock: URL;
  readonly dockerfile: URL;
}

export const LOCK_FILES: LockFiles = {
  lock: new URL('kubectl.lock.json', import.meta.url),
  dockerfile: new URL('../Dockerfile.proxy', import.meta.url),
};

export async function readLock({ lock }: LockFiles = LOCK_FILES): Promise<KubectlLock> {
  return JSON.parse(await readFile(lock, 'utf8')) as KubectlLock;
}

/**
 * Writes the lock, and version and digest into the Dockerfile.
 *
 * @throws Error when the Dockerfile has no such line; nothing is written then.
 */
export async function writeLock(value: KubectlLock, files: LockFiles = LOCK_FILES): Promise<void> {
  const before = await readFile(files.dockerfile, 'utf8');
  const after = replaceDefault(
    replaceDefault(before, 'KUBECTL_VERSION', value.version),
    'KUBECTL_DIGEST',
    value.digest,
  );
  await writeFile(files.dockerfile, after);
  await writeFile(files.lock, `${JSON.stringify(value, undefined, 2)}\n`);
}

function replaceDefault(dockerfile: string, name: string, value: string): string {
  const line = new RegExp(`^ARG ${name}=.*$`, 'm');
  if (!line.test(dockerfile)) throw new Error(`expected a line "ARG ${name}=…", found none`);
  return dockerfile.replace(line, `ARG ${name}=${value}`);
}

/**
 * Which architecture's kubectl a file is, by its SHA-256.
 *
 * @throws Error when the lock has no such program.
 */
export async function architectureOf(file: string, { binaries }: KubectlLock): Promise<string> {
  const checksum = createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
  const [found] = Object.entries(binaries).find(([, locked]) => locked === checksum) ?? [];
  if (found === undefined)
    throw new Error(`${file} (sha256 ${checksum}) is no kubectl of the lock`);
  return found;
}
