import { randomBytes } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { isIPv4 } from 'node:net';
import { ConfigurationError, messageOf, OperatorError } from '../../core/errors.ts';
import { formatYaml } from '../../core/yaml.ts';
import { isNamespaceMissing, isUnserved } from '../../model/not-found.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { ExitCode, Io } from '../command.ts';
import type { GivenTo } from '../command-table.ts';
import { loadPackage } from '../load-package.ts';
import { type ManifestDocument, readManifests } from '../manifest-files.ts';
import {
  type ApiserverArguments,
  apiserverArguments,
  type KubernetesVersion,
} from './arguments.ts';
import type { APISERVER } from './table.ts';

/** The user that the token of the kubeconfig authenticates: the cluster administrator of kubeadm. */
const CALLER: { readonly name: string; readonly groups: string[] } = {
  name: 'kubernetes-admin',
  groups: ['system:masters'],
};

/**
 * The part of `ApiServer` in `@chancery/testing` that this command uses. A test checks that the types match.
 */
export interface ServerClass {
  start(options: {
    readonly port: number;
    readonly address: string;
    readonly workloads: Record<string, never> | false;
    readonly generation?: KubernetesVersion;
    readonly featureGates: Readonly<Record<string, boolean>>;
    readonly webhookServices: Readonly<Record<string, string>>;
    readonly tls?: Record<string, never>;
    readonly authentication?: { readonly tokens: Readonly<Record<string, typeof CALLER>> };
  }): Promise<RunningServer>;
}

interface RunningServer {
  readonly url: string;
  readonly secure: { readonly ca: string };
  get(apiVersion: string, kind: string, namespace: string | undefined, name: string): unknown;
  create(object: KubernetesObject): unknown;
  applyManifest(yaml: string, namespace: string | undefined): unknown;
  close(): Promise<void>;
}

/** `chancery apiserver`: serves a Kubernetes API until the process is asked to stop. */
export async function serve(given: GivenTo<typeof APISERVER>, io: Io): Promise<ExitCode> {
  const options = apiserverArguments(given);
  const { kubeconfigOut: kubeconfigPath, force } = options;
  if (kubeconfigPath !== undefined && !force) await requireOurs(kubeconfigPath);
  const documents = await readManifests(options.filename, io.stdin);
  const token = options.tls ? randomBytes(24).toString('base64url') : undefined;
  const { ApiServer } = (await loadPackage('@chancery/testing', 'apiserver')) as {
    readonly ApiServer: ServerClass;
  };
  const server = await start(ApiServer, options, token);
  try {
    fill(server, documents, options.namespace);
    const { signal } = io; // SIGTERM stops it in order before its URL is printed
    if (kubeconfigPath !== undefined) {
      const namespace = options.namespace ?? 'default';
      await writeKubeconfig(kubeconfigPath, {
        server: server.url,
        namespace,
        ...(token !== undefined && { credentials: { token, ca: server.secure.ca } }),
      });
    }
    io.stderr.write(advice(server.url, options));
    io.stdout.write(`${server.url}\n`);
    await aborted(signal);
  } finally {
    await server.close();
  }
  return 0;
}

async function start(
  server: ServerClass,
  options: ApiserverArguments,
  token: string | undefined,
): Promise<RunningServer> {
  const { port, address, hasWorkloads, webhookService, featureGates = [] } = options;
  const { kubernetesVersion: version } = options;
  try {
    return await server.start({
      port,
      address,
      featureGates: Object.fromEntries(
        featureGates.map((gate) => [gate.split('=')[0], gate.endsWith('=true')]),
      ),
      workloads: hasWorkloads ? {} : false,
      webhookServices: Object.fromEntries(webhookService),
      ...(version === undefined ? {} : { generation: version }),
      ...(token === undefined ? {} : { tls: {}, authentication: { tokens: { [token]: CALLER } } }),
    });
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    throw cannotListen(port, address, error);
  }
}

/** The error of an API server that could not be started, with what to do. */
export function cannotListen(port: number, address: string, error: unknown): OperatorError {
  return new OperatorError(`cannot listen on port ${port} of ${address}: ${reasonOf(error)}`, {
    code: 'CONFIG',
    layer: 'configuration',
    cause: error,
  });
}

function reasonOf(error: unknown): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return 'something else does; choose another with --port, or --port 0 for any free one';
    case 'EACCES':
      return 'not permitted; choose one from 1024 on with --port';
    case 'EADDRNOTAVAIL':
      return 'this machine does not have that address';
  }
  return messageOf(error);
}

/** @throws OperatorError of the refused object; file and object stand before its message. */
function fill(
  server: RunningServer,
  documents: readonly ManifestDocument[],
  namespace: string | undefined,
): void {
  const isThere =
    namespace === undefined || server.get('v1', 'Namespace', undefined, namespace) !== undefined;
  if (!isThere) {
    server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  }
  for (const { file, value } of documents) {
    try {
      server.applyManifest(JSON.stringify(value), namespace);
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      throw new OperatorError(
        `cannot apply ${file}: ${nameOf(value)}: ${error.message}${hint(error)}`,
        { code: error.code, layer: error.layer, cause: error },
      );
    }
  }
}

function hint(error: OperatorError): string {
  if (isNamespaceMissing(error)) return '; apply its Namespace before it, or create it with -n';
  return isUnserved(error)
    ? '; if it is a custom resource, apply its CustomResourceDefinition before it'
    : '';
}

/** Kind and name, such as `ConfigMap settings`, as far as the document has them. */
function nameOf(value: unknown): string {
  const { kind, metadata } = (value ?? {}) as { kind?: unknown; metadata?: { name?: unknown } };
  return `${kind ?? 'a document without a kind'} ${metadata?.name ?? ''}`.trim();
}

function advice(url: string, { address, kubeconfigOut, tls }: ApiserverArguments): string {
  const flag = kubeconfigOut === undefined ? `--server=${url}` : `--kubeconfig=${kubeconfigOut}`;
  const warning =
    tls || isLoopback(address)
      ? ''
      : `warning: whoever reaches ${address} may do everything here, nobody is asked who they are\n`;
  return `${warning}a throw-away Kubernetes API serves until Ctrl-C, and keeps nothing; try
  kubectl ${flag} get namespaces
`;
}

function isLoopback(address: string): boolean {
  return isIPv4(address) ? address.startsWith('127.') : address === '::1';
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** The first line of every file that we write. We overwrite only files that begin with it. */
const SIGNATURE = '# Written by `chancery apiserver`, which overwrites it: keep nothing in here.';

const NAME = 'chancery';

interface KubeconfigOptions {
  /** URL of the API server. */
  readonly server: string;
  /** For a server with TLS: the PEM of its certificate authority, and a bearer token. */
  readonly credentials?: { readonly ca: string; readonly token: string };
  /** The namespace that kubectl uses by default. */
  readonly namespace: string;
}

/**
 * Writes a kubeconfig with one context.
 *
 * The file has mode 0600. It is written completely or not at all.
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
 * Checks, before anything starts, that `path` is free or was written by this command.
 *
 * @throws ConfigurationError `CONFIG` when another file is there, or when it cannot be read.
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
  // Without this, @kubernetes/client-node and what is built on it refuse plain HTTP. Beside a
  // certificate authority, client-go refuses it.
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
