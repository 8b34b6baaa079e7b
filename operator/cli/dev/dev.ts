import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import process from 'node:process';
import { type Clock, systemClock } from '../../core/clock.ts';
import { ConfigurationError } from '../../core/errors.ts';
import { requireOurs } from '../apiserver/kubeconfig.ts';
import type { ExitCode, Io } from '../command.ts';
import type { GivenTo } from '../command-table.ts';
import { describeError } from '../describe-error.ts';
import { type ManifestDocument, readManifests } from '../files/manifest-files.ts';
import { loadPackage } from '../loading/load-package.ts';
import type { DevCluster } from './ambassador.ts';
import { DEFAULT_MODULES, type DevArguments, devArguments } from './arguments.ts';
import { ContextCluster, confirmContext } from './context-cluster.ts';
import { type DevTestKit, EmbeddedCluster } from './embedded-cluster.ts';
import { type DevPorts, devPorts, operatorEnvironment } from './operator-environment.ts';
import { OperatorProcess } from './operator-process.ts';
import { SampleFiles } from './sample-files.ts';
import { DevSession } from './session.ts';
import type { DEV } from './table.ts';
import { TypeCheck } from './type-check.ts';

export interface DevCommandOptions {
  readonly clock?: Clock;
}

/**
 * `chancery dev`: runs an operator with everything that it needs, such as an API server, and
 * restarts it on every save.
 */
export async function dev(
  given: GivenTo<typeof DEV>,
  io: Io,
  { clock = systemClock }: DevCommandOptions = {},
): Promise<ExitCode> {
  const parsed = devArguments(given);
  if (parsed.asOperator) {
    const { runOperator } = await import('./operator-child.ts');
    const { namespace = 'default', allNamespaces, moduleArgs } = parsed;
    return runOperator(parsed.modules, moduleArgs, { namespace, allNamespaces }, io);
  }
  const modules = modulesOf(parsed.modules);
  const samples = await readManifests(parsed.samples, io.stdin, '--samples ');
  const say = (text: string): void => void io.stderr.write(`dev: ${text}\n`);
  const cluster = await clusterOf(parsed, samples, { io, clock, say });
  try {
    await develop({ parsed, modules, samples, cluster, io, clock, say });
  } finally {
    await cluster.close();
  }
  return 0;
}

/**
 * The paths of the modules.
 *
 * @throws ConfigurationError `CONFIG` for a module that does not exist.
 */
function modulesOf(given: readonly string[]): readonly string[] {
  const modules =
    given.length > 0 ? given : DEFAULT_MODULES.filter((path) => existsSync(path)).slice(0, 1);
  if (modules.length === 0) {
    throw new ConfigurationError(
      `expected a MODULE, such as src/operator.ts; got none, and there is no ${DEFAULT_MODULES.join(', no ')}`,
    );
  }
  const missing = modules.find((path) => !existsSync(path));
  if (missing === undefined) return modules;
  throw new ConfigurationError(`cannot load ${missing}: no such file`);
}

interface Surroundings {
  readonly io: Io;
  readonly clock: Clock;
  readonly say: (text: string) => void;
}

async function clusterOf(
  { context, kubeconfig, kubeconfigOut, namespace: given, port = 0, yes }: DevArguments,
  samples: readonly ManifestDocument[],
  around: Surroundings,
): Promise<DevCluster> {
  const namespace = given ?? namespaceOf(samples);
  if (context === undefined) {
    if (kubeconfigOut !== undefined) await requireOurs(kubeconfigOut, 'name a new one');
    const kit = (await loadPackage('@chancery/testing', 'dev')) as DevTestKit;
    return EmbeddedCluster.start(kit, {
      ...around,
      ...{ port, kubeconfigOut, namespace: namespace ?? 'default' },
    });
  }
  const cluster = await ContextCluster.open({ ...around, context, kubeconfig, namespace });
  const facts =
    `Definitions, ${samples.length} samples and what the operator writes go to ${cluster.description}, ` +
    `namespace ${cluster.namespace}.`;
  if (!yes) await confirmContext(context, facts, around.io);
  return cluster;
}

/**
 * The only namespace that occurs in the samples. Undefined when the samples have no namespace, or
 * several.
 */
function namespaceOf(samples: readonly ManifestDocument[]): string | undefined {
  const named = samples.flatMap(({ value }) => {
    const { metadata } = (value ?? {}) as { metadata?: { namespace?: unknown } | null };
    return typeof metadata?.namespace === 'string' ? [metadata.namespace] : [];
  });
  const [first, ...others] = new Set(named);
  return others.length === 0 ? first : undefined;
}

interface Development extends Surroundings {
  readonly parsed: DevArguments;
  readonly modules: readonly string[];
  readonly samples: readonly ManifestDocument[];
  readonly cluster: DevCluster;
}

async function develop({
  parsed,
  modules,
  samples,
  cluster,
  ...around
}: Development): Promise<void> {
  const { io, clock, say } = around;
  const place = { namespace: cluster.namespace, allNamespaces: parsed.allNamespaces };
  const ports = await devPorts(io.env);
  const environment = operatorEnvironment(io, place, ports);
  const types = new TypeCheck({
    folder: projectOf(modules[0] ?? '.'),
    environment: io.env,
    pretty: isTerminal(io.stderr),
    say,
  });
  if (types.whyNot !== undefined) say(types.whyNot);
  say(`API server   ${cluster.description}`);
  const { inspect, moduleArgs } = parsed;
  const shown = (path: string): string => relative(process.cwd(), path);
  const session = new DevSession({
    cluster,
    samples,
    clock,
    say,
    signal: io.signal,
    describe: describeError,
    shown,
    startOperator: (onFiles) =>
      new OperatorProcess({
        ...{ modules, moduleArgs, place, environment, inspect, clock, io, onFiles },
      }),
    onStart: () => types.start(),
    onReady: () => introduce(cluster, ports, say),
  });
  const sampleFiles = new SampleFiles({
    ...{ samples, clock, say, shown },
    paths: parsed.samples.filter((path) => path !== '-'),
    onSaved: (saved) => session.addSamples(saved),
  });
  try {
    sampleFiles.start();
    await session.run();
  } finally {
    await sampleFiles.close();
    await types.stop();
  }
}

function introduce(
  { ambassador }: DevCluster,
  { health, metrics }: DevPorts,
  say: (text: string) => void,
): void {
  say(`ambassador   ${ambassador.url} (${ambassador.description})`);
  if (health !== 0) say(`status page  http://127.0.0.1:${health}/status`);
  if (metrics !== 0) say(`metrics      http://127.0.0.1:${metrics}/metrics`);
}

/** The folder of the nearest package.json above a module. Without one, the folder of the module. */
function projectOf(module: string): string {
  const start = dirname(resolve(module));
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (folder === dirname(folder)) return start;
  }
}

function isTerminal(stream: object): boolean {
  return (stream as { isTTY?: boolean }).isTTY === true;
}
