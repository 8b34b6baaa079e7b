import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';

/**
 * The architectures that Kubernetes publishes kubectl for, as the image index and the downloads name them.
 */
export const ARCHITECTURES = ['amd64', 'arm64', 'ppc64le', 's390x'] as const;

export type Architecture = (typeof ARCHITECTURES)[number];

/** The kubectl in the ambassador's image: the content of proxy/kubectl.lock.json. */
export interface KubectlLock {
  /** Such as `v1.37.1`. */
  readonly version: string;
  /** The day on which the digests were looked up, `YYYY-MM-DD`. */
  readonly date: string;
  readonly image: string;
  /** `sha256:` of the image index, which names one image for each architecture. */
  readonly digest: string;
  /** SHA-256 of the program itself, as published next to its download. */
  readonly binaries: Readonly<Partial<Record<Architecture, string>>>;
  /** The URLs at which the digests were found. */
  readonly sources: readonly string[];
}

/** The lock file, and the Dockerfile that repeats its version and digest. */
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
 * Writes the lock file, and the version and the digest in the Dockerfile.
 *
 * @throws Error when the Dockerfile lacks one of the two lines; then nothing is written.
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
 * The architecture of a kubectl program, found by its SHA-256.
 *
 * @throws Error when the lock does not contain this SHA-256.
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
