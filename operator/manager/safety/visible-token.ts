import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../../controller/reconciler.ts';
import { abortable } from '../../core/abort.ts';
import { type Clock, sleep } from '../../core/clock.ts';
import { UnsafeSetupError } from '../../core/errors.ts';

/**
 * The folder where Kubernetes mounts the ServiceAccount files of a Pod. Both paths lead to the same folder.
 */
export const TOKEN_FOLDERS: readonly string[] = [
  '/var/run/secrets/kubernetes.io/serviceaccount',
  '/run/secrets/kubernetes.io/serviceaccount',
];

/**
 * Other files that Kubernetes and OpenShift put into that folder: certificates, and the name of the
 * namespace.
 */
const HARMLESS: ReadonlySet<string> = new Set(['ca.crt', 'service-ca.crt', 'namespace']);

/**
 * How deep to search. The kubelet creates two levels: the folder itself, and the dated folder to which
 * `..data` links.
 */
const MAX_DEPTH = 2;

/** Bytes to read from a file. This is enough to recognize a token. */
const PEEK_BYTES = 64;

/** A JSON Web Token begins with the base64url of `{"` and contains a dot later. */
const LOOKS_LIKE_TOKEN = /^eyJ[A-Za-z0-9_-]+(\.|$)/;

/**
 * The path of a ServiceAccount token that this process can see; undefined when there is none.
 *
 * A file named `token` counts as a token, whatever it contains. A broken link of that name also counts,
 * because the kubelet swaps links. Any other file counts if it begins like a JSON Web Token. A file or folder
 * that cannot be read also counts, because it may contain a token. The search follows links into other
 * folders, such as `..data`. No file content is kept.
 */
export async function findVisibleToken(
  folders: readonly string[] = TOKEN_FOLDERS,
): Promise<string | undefined> {
  for (const folder of folders) {
    const found = await findIn(folder, MAX_DEPTH);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The error with which an operator refuses to start because it sees the token at `path`. */
export function tokenVisible(path: string): UnsafeSetupError {
  return new UnsafeSetupError(
    `a ServiceAccount token is visible at ${path}: an operator behind an ambassador must hold no ` +
      'credentials. Set automountServiceAccountToken: false in the ServiceAccount and in the Pod, and ' +
      'mount the projected token volume in the proxy container only; or run with ' +
      '--insecure-allow-token (CHANCERY_INSECURE_ALLOW_TOKEN=true)',
    { code: 'TOKEN_VISIBLE', context: { path } },
  );
}

async function findIn(folder: string, depth: number): Promise<string | undefined> {
  let names: readonly string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    return isAbsent(error) ? undefined : folder;
  }
  // Look at `token` first, so that the message contains the familiar path, and not the target of the link.
  for (const name of names.toSorted((a, b) => Number(b === 'token') - Number(a === 'token'))) {
    const path = join(folder, name);
    const found = name === 'token' ? path : await findToken(path, name, depth);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function findToken(path: string, name: string, depth: number): Promise<string | undefined> {
  if (HARMLESS.has(name)) return undefined;
  try {
    const found = await stat(path);
    if (found.isDirectory()) return depth > 0 ? await findIn(path, depth - 1) : undefined;
    // Opening a pipe would block forever.
    return found.isFile() && (await beginsLikeToken(path)) ? path : undefined;
  } catch (error) {
    return isAbsent(error) ? undefined : path;
  }
}

async function beginsLikeToken(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(PEEK_BYTES), 0, PEEK_BYTES, 0);
    return LOOKS_LIKE_TOKEN.test(buffer.toString('latin1', 0, bytesRead));
  } finally {
    await file.close();
  }
}

/** True when no file exists at the path. The kubelet replaces links, so a link may be broken for a moment. */
function isAbsent(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/**
 * Milliseconds between two attempts. Attempts cost nothing on loopback, and the whole operator waits for the
 * result.
 */
const LOOK_EVERY_MS = 250;

/**
 * Sidecars start within a second, unless their image is still being pulled. After this many milliseconds the
 * sources report the problem.
 */
const PATIENCE_MS = 60_000;

/**
 * Resolves when the ambassador's address accepts connections, or after a minute. From then on the sources
 * keep trying and report the problem. Logs at most two lines.
 *
 * @throws `signal.reason` when `signal` aborts before that.
 */
export async function waitForAmbassador(
  isListening: () => Promise<boolean>,
  { clock, log, apiUrl }: { readonly clock: Clock; readonly log: Log; readonly apiUrl: string },
  signal: AbortSignal,
): Promise<void> {
  const startedAt = clock.monotonic();
  const remedy = `nothing listens there, start it: ${proxyCommand(apiUrl)}, or chancery proxy MODULE; chancery dev MODULE starts all`;
  for (let isFirst = true; !(await abortable(isListening(), signal)); isFirst = false) {
    if (isFirst) log.info({ apiUrl, remedy }, 'waiting for the ambassador');
    if (clock.monotonic() - startedAt >= PATIENCE_MS) {
      log.warn(
        { apiUrl, waitedMs: PATIENCE_MS, remedy },
        'no ambassador listens; the sources keep trying',
      );
      return;
    }
    await sleep(clock, LOOK_EVERY_MS, signal);
  }
}

/** The command that makes `kubectl proxy` listen at the API URL. */
export function proxyCommand(apiUrl: string): string {
  const [, socket] = /^unix:(?:\/\/)?(\/.*)$/.exec(apiUrl) ?? [];
  if (socket !== undefined) return `kubectl proxy --unix-socket=${socket}`;
  const { port } = new URL(apiUrl);
  return `kubectl proxy --port=${port === '' ? '80' : port}`;
}
