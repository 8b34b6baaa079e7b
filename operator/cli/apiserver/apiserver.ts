import { randomBytes } from 'node:crypto';
import { access, constants, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { ConfigurationError, messageOf, OperatorError } from '../../core/errors.ts';
import { isLoopbackAddress } from '../../core/loopback.ts';
import type { ExitCode, Io } from '../command.ts';
import type { GivenTo } from '../command-table.ts';
import { readManifests } from '../files/manifest-files.ts';
import { loadPackage } from '../loading/load-package.ts';
import { applyManifests, installManifests } from './apply-manifests.ts';
import { type ApiserverArguments, apiserverArguments } from './arguments.ts';
import { requireOurs, writeKubeconfig } from './kubeconfig.ts';
import { clearReadyFile, removeReadyFile, writeReadyFile } from './ready-file.ts';
import type { APISERVER } from './table.ts';
import type {
  Admin,
  Caller,
  MovableClock,
  RunningServer,
  Snapshot,
  TestingPackage,
} from './testing-package.ts';

/**
 * The user to whom the token in the kubeconfig belongs: the same cluster administrator as in
 * clusters of kubeadm.
 */
const CALLER: Caller = { name: 'kubernetes-admin', groups: ['system:masters'] };

/** `chancery apiserver`: serves a Kubernetes API until the process is asked to stop. */
export async function serve(given: GivenTo<typeof APISERVER>, io: Io): Promise<ExitCode> {
  const options = apiserverArguments(given);
  const { kubeconfigOut, readyFile, snapshot: snapshotPath, namespace, force } = options;
  if (kubeconfigOut !== undefined && !force) {
    await requireOurs(kubeconfigOut, 'name a new one, or add --force to overwrite it');
  }
  if (readyFile !== undefined) await clearReadyFile(readyFile);
  const installed = await readManifests(options.install, io.stdin, '--install ');
  const documents = await readManifests(options.filename, io.stdin);
  const faults = await faultsOf(options.faults, io.stdin);
  const kit = (await loadPackage('@chancery/testing/api-server', 'apiserver')) as TestingPackage;
  const parts: Parts = {
    faults: faults === undefined ? [] : kit.readFaults(faults, `--faults ${options.faults}`),
    snapshot: await savedSnapshot(snapshotPath, kit),
    clock: options.adminPort === undefined ? undefined : new kit.MovableClock(),
    token: options.tls ? randomBytes(24).toString('base64url') : undefined,
  };
  const server = await start(kit, options, parts);
  let admin: Admin | undefined;
  try {
    ensureNamespace(server, namespace);
    installManifests(server, installed, namespace);
    applyManifests(server, documents, namespace);
    const { signal } = io; // from here on SIGTERM stops it gracefully, even before its URL is printed
    if (kubeconfigOut !== undefined) {
      const { token } = parts;
      await writeKubeconfig(kubeconfigOut, {
        server: server.url,
        namespace: namespace ?? 'default',
        ...(token !== undefined && { credentials: { token, ca: server.secure.ca } }),
      });
    }
    admin = await startAdmin(kit, server, options.adminPort, parts.clock);
    const urls = admin === undefined ? [server.url] : [server.url, admin.url];
    if (readyFile !== undefined) await writeReadyFile(readyFile, urls);
    io.stderr.write(advice(server.url, admin?.url, options));
    io.stdout.write(`${server.url}\n`);
    await aborted(signal);
    if (readyFile !== undefined) await removeReadyFile(readyFile);
  } finally {
    await admin?.close();
    await server.close();
  }
  // The snapshot is written after the last answer, so that it contains every accepted write.
  if (snapshotPath !== undefined) await kit.writeSnapshot(snapshotPath, server.snapshot());
  return 0;
}

/** Values for the server that are read or created before the server starts. */
interface Parts {
  readonly faults: readonly object[];
  readonly snapshot: Snapshot | undefined;
  readonly clock: MovableClock | undefined;
  readonly token: string | undefined;
}

/** The only document in the file of `--faults`. Undefined if `path` is undefined. */
async function faultsOf(path: string | undefined, stdin: Readable): Promise<unknown> {
  if (path === undefined) return undefined;
  const [first, ...more] = await readManifests([path], stdin, '--faults ');
  if (first !== undefined && more.length === 0) return first.value;
  throw new ConfigurationError(
    `--faults ${path}: expected one document with faults, got ${first === undefined ? 'none' : more.length + 1}`,
  );
}

/**
 * The snapshot in a file. Undefined when the file does not exist yet.
 *
 * @throws ConfigurationError `CONFIG` when the file cannot be restored, or cannot be written when
 * the server stops.
 */
async function savedSnapshot(
  path: string | undefined,
  { readSnapshot }: TestingPackage,
): Promise<Snapshot | undefined> {
  if (path === undefined) return undefined;
  try {
    await access(dirname(path), constants.W_OK);
    await stat(path);
  } catch (error) {
    const { code, path: missing } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && missing === path) return undefined;
    throw new ConfigurationError(`cannot save --snapshot ${path}: ${messageOf(error)}`, {
      cause: error,
    });
  }
  return readSnapshot(path);
}

async function start(
  { ApiServer }: TestingPackage,
  options: ApiserverArguments,
  { faults, snapshot, clock, token }: Parts,
): Promise<RunningServer> {
  const { port, address, hasWorkloads, webhookService, featureGates = [] } = options;
  const { kubernetesVersion: version } = options;
  try {
    return await ApiServer.start({
      port,
      address,
      featureGates: Object.fromEntries(
        featureGates.map((gate) => [gate.split('=')[0], gate.endsWith('=true')]),
      ),
      workloads: hasWorkloads ? {} : false,
      webhookServices: Object.fromEntries(webhookService),
      faults,
      ...(version === undefined ? {} : { generation: version }),
      ...(token === undefined ? {} : { tls: {}, authentication: { tokens: { [token]: CALLER } } }),
      ...(clock === undefined ? {} : { clock }),
      ...(snapshot === undefined ? {} : { snapshot }),
    });
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    throw cannotListen(port, address, error);
  }
}

async function startAdmin(
  { AdminEndpoint }: TestingPackage,
  server: RunningServer,
  port: number | undefined,
  clock: MovableClock | undefined,
): Promise<Admin | undefined> {
  if (port === undefined || clock === undefined) return undefined;
  try {
    return await AdminEndpoint.start(server, { port, clock });
  } catch (error) {
    throw cannotListen(port, '127.0.0.1', error, '--admin-port');
  }
}

/** The error for a server that could not be started, with a remedy. */
export function cannotListen(
  port: number,
  address: string,
  error: unknown,
  option: string = '--port',
): OperatorError {
  return new OperatorError(
    `cannot listen on port ${port} of ${address}: ${reasonOf(error, option)}`,
    { code: 'CONFIG', layer: 'configuration', cause: error },
  );
}

function reasonOf(error: unknown, option: string): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return `something else does; choose another with ${option}, or ${option} 0 for any free one`;
    case 'EACCES':
      return `not permitted; choose one from 1024 on with ${option}`;
    case 'EADDRNOTAVAIL':
      return 'this machine does not have that address';
  }
  return messageOf(error);
}

function ensureNamespace(server: RunningServer, namespace: string | undefined): void {
  const isThere =
    namespace === undefined || server.get('v1', 'Namespace', undefined, namespace) !== undefined;
  if (!isThere) {
    server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  }
}

function advice(
  url: string,
  adminUrl: string | undefined,
  { address, kubeconfigOut, tls, snapshot }: ApiserverArguments,
): string {
  const flag = kubeconfigOut === undefined ? `--server=${url}` : `--kubeconfig=${kubeconfigOut}`;
  const warning =
    tls || isLoopbackAddress(address)
      ? ''
      : `warning: every client that reaches ${address} may do everything, because requests are not authenticated\n`;
  const kept = snapshot === undefined ? 'keeps nothing' : `saves its objects to ${snapshot} then`;
  const admin = adminUrl === undefined ? '' : `  curl ${adminUrl}/openapi.json\n`;
  return `${warning}a throw-away Kubernetes API serves until Ctrl-C, and ${kept}; try
  kubectl ${flag} get namespaces
${admin}`;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
