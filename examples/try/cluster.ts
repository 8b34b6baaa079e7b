import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type AmbassadorFilter, ApiServer } from '@chancery/testing';
import type { Controller, KubernetesObject, Program, Runnable } from 'chancery';
import { isRunnable, parseYamlDocuments, proxyFilter, rbac } from 'chancery/low-level';
import { type Ambassador, startAmbassador } from './ambassador.ts';
import { EXAMPLES, type Example, folderOf } from './examples.ts';
import { hooksAccess, metacontrollerAccess } from './generated-access.ts';
import { type LogLine, OperatorProcess } from './operator-process.ts';
import type { Timeline } from './timeline.ts';

export const NAMESPACE = 'demo';

/** An example that runs. */
export interface Running {
  /** Of the API server, for its administrator. */
  readonly url: string;
  /** The last lines of the operator's log. */
  readonly tail: readonly string[];
  stop(): Promise<void>;
}

export interface ClusterOptions {
  readonly name: string;
  readonly port: number;
  readonly signal: AbortSignal;
}

/** An API server, the ambassador and the operator, each with what is generated for the example. */
export async function startExample(
  { name, port, signal }: ClusterOptions,
  timeline: Timeline,
): Promise<Running> {
  const example = EXAMPLES[name] ?? {};
  const { watchesAll = false, installsCrds = false, args = [], beside } = example;
  const { command, path } = commandOf(example);
  const folder = folderOf(name);
  const workloads = { podReadyMs: 400, podStopMs: 200 };
  const server = await ApiServer.start({ port, authorization: 'RBAC', workloads });
  const stops: (() => Promise<void>)[] = [() => server.close()];
  const stop = async (): Promise<void> => {
    for (const each of stops.splice(0).reverse()) await each();
  };
  try {
    server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    for (const file of manifestsOf(folder)) {
      server.applyManifest(await readFile(file, 'utf8'), NAMESPACE);
    }
    const { roles, filter } = await accessOf(name, example);
    for (const role of roles) server.create(inNamespace(role));
    const user = await server.urlFor(
      `system:serviceaccount:${NAMESPACE}:${accountOf(name, example)}`,
    );
    const ambassador: Ambassador = await startAmbassador(user, filter, timeline);
    stops.push(() => ambassador.kill());
    const operator = await OperatorProcess.start(
      {
        command,
        module: new URL(path, folder),
        args,
        apiUrl: ambassador.url,
        namespace: NAMESPACE,
        watchesAll,
        environment: { CHANCERY_INSTALL_CRDS: String(installsCrds) },
      },
      (line) => tell(timeline, line),
    );
    stops.push(() => operator.stop());
    await operator.ready(signal);
    timeline.tell(
      'operator',
      `chancery ${command} examples/${name}/${path} (pid ${operator.pid}) is ready`,
    );
    if (beside !== undefined) {
      const { start } = (await import(new URL(beside, folder).href)) as Beside;
      stops.push(await start(server.url));
      timeline.tell('cluster', `examples/${name}/${beside} runs beside it`);
    }
    return { url: server.url, tail: operator.tail, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The command that runs an example, and what it is given. */
function commandOf({ isHooks, isMetacontroller }: Example) {
  if (isHooks === true) return { command: 'hooks', path: 'hooks/' } as const;
  if (isMetacontroller === true)
    return { command: 'metacontroller', path: 'functions/functions.yaml' } as const;
  return { command: 'run', path: 'operator.ts' } as const;
}

/** The ServiceAccount of an example. What is called `metacontroller` would be the original's. */
function accountOf(name: string, { isMetacontroller = false }: Example): string {
  return isMetacontroller ? `chancery-${name}` : name;
}

/** What is generated for an example. */
async function accessOf(
  name: string,
  example: Example,
): Promise<{ readonly roles: readonly KubernetesObject[]; readonly filter: AmbassadorFilter }> {
  const { watchesAll = false, installsCrds = false, args = [] } = example;
  const { command } = commandOf(example);
  if (command !== 'run') {
    const folder = fileURLToPath(folderOf(name));
    const watch = watchesAll ? 'all' : 'own';
    const placed = { name: accountOf(name, example), namespace: NAMESPACE, watch } as const;
    const access =
      command === 'hooks'
        ? hooksAccess(`${folder}hooks/`, placed)
        : metacontrollerAccess(folder, placed);
    return { ...access, roles: parseYamlDocuments(access.roles) as readonly KubernetesObject[] };
  }
  const namespaces = watchesAll ? undefined : [NAMESPACE];
  const placement = { namespaces, installCrds: installsCrds };
  const controllers = await controllersOf(folderOf(name), args);
  const serviceAccount = { name, namespace: NAMESPACE };
  return {
    roles: rbac(controllers, {
      ...placement,
      name,
      serviceAccount,
    }) as unknown as KubernetesObject[],
    filter: proxyFilter(controllers, placement),
  };
}

/** What runs beside an operator: `start` resolves to what stops it. */
interface Beside {
  readonly start: (url: string) => Promise<() => Promise<void>>;
}

/** Definitions first, then what is to be there before. */
function manifestsOf(folder: URL): readonly URL[] {
  return ['crd.yaml', 'crds/', 'given/'].flatMap((name) => {
    const at = new URL(name, folder);
    if (!existsSync(at)) return [];
    if (!name.endsWith('/')) return [at];
    const files = readdirSync(at).filter((file) => file.endsWith('.yaml'));
    return files.sort().map((file) => new URL(file, at));
  });
}

/** What the operator of an example has when its module is given `args`. */
export async function controllersOf(
  folder: URL,
  args: readonly string[],
): Promise<readonly Controller[]> {
  const { default: exported } = (await import(new URL('operator.ts', folder).href)) as {
    readonly default: Program | Controller | readonly (Controller | Runnable)[];
  };
  if ('create' in exported)
    return (await exported.create({ args, environment: {} })).controllers ?? [];
  const all = Array.isArray(exported) ? exported : [exported];
  return all.filter((each): each is Controller => !isRunnable(each));
}

/** A Role that names no namespace lives where it is applied. */
function inNamespace(object: KubernetesObject): KubernetesObject {
  const isOfCluster = object.kind.startsWith('Cluster');
  return isOfCluster || object.metadata.namespace !== undefined
    ? object
    : { ...object, metadata: { ...object.metadata, namespace: NAMESPACE } };
}

function tell(timeline: Timeline, { level, msg }: LogLine): void {
  if (level === 'warn' || level === 'error') timeline.tell('operator', `${level}: ${msg}`);
}
