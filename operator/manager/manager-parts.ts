import { discover, discoverExactly, hasSubresource } from '../client/discovery.ts';
import { explainUnserved } from '../client/explain-unserved.ts';
import { definedResources, leaseNameOf } from '../controller/controller.ts';
import type { EventRecorder } from '../controller/events/event-recorder.ts';
import type { Log } from '../controller/reconciler.ts';
import { ConfigurationError } from '../core/errors.ts';
import { noMeter } from '../core/metrics.ts';
import type { DefinedResource } from '../model/custom-resource-definition.ts';
import { type Resource, resourceName } from '../model/resource.ts';
import { answerConversion } from '../webhook/answer-conversion.ts';
import type { AnswerConversion } from '../webhook/conversion-endpoint.ts';
import { type ControllerHost, selfOf } from './controller-host.ts';
import { DefinitionInstaller } from './crds/install-definitions.ts';
import { type NeededSource, sourcesCheck, syncedCheck } from './http/health-checks.ts';
import type { HealthCheck, StartCheck } from './http/health-server.ts';
import { HealthServer } from './http/health-server.ts';
import { leaderIdentity } from './leader/election-timing.ts';
import { LeaderElector } from './leader/leader-elector.ts';
import type { ObservedProcess } from './observe/process-observer.ts';
import type { OperatorProcessOptions } from './options.ts';
import { RunnableHost } from './runnable-host.ts';
import type { PodNote } from './sharding/group-events.ts';
import { podOf, requireDivisible, setNameOf } from './sharding/set.ts';
import type { ShardedWork } from './sharding/shard-group.ts';
import { Sharding } from './sharding/sharding.ts';
import type { Informers, InformersOptions } from './sources/informers.ts';
import type { LeadershipStatus } from './status-page/process-status.ts';
import type { ProcessView } from './status-page/process-view.ts';
import { WebhookServing } from './webhooks/webhook-serving.ts';

/** The options of the informers, from the settings. */
export function informersOptions(
  { settings, clock, connection, meter, observer, random }: OperatorProcessOptions,
  log: Log,
): InformersOptions {
  const { apiUrl, namespaces, crdWait, watchTimeoutSeconds, relistIntervalMs } = settings;
  const { transport } = connection;
  return {
    apiUrl,
    ...(transport && {
      explain: (resource, signal) => explainUnserved(transport, resource, { clock, signal }),
    }),
    namespaces,
    crdWait,
    listWatchFor: connection.listWatchFor,
    log,
    ...(meter && { meter }),
    ...(observer && { observer }),
    reflector: {
      clock,
      ...(random && { random }),
      ...(watchTimeoutSeconds && { watchTimeoutSeconds }),
      ...(relistIntervalMs !== undefined && { relistIntervalMs }),
    },
  };
}

/** Field manager of CustomResourceDefinitions. It is the same for all operators. */
const DEFINITIONS_MANAGER = 'chancery-definitions';

/** Runs the runnables, with the clients and Event recorders of `host`. */
export function runnableHostOf(
  { settings, connection, clock, logFor, meter = noMeter, dryRun = false }: OperatorProcessOptions,
  informers: Informers,
  host: ControllerHost,
): RunnableHost {
  const { transport } = connection;
  return new RunnableHost({
    informers,
    partsFor: (name, needsLeaderElection) => host.partsFor(name, needsLeaderElection, true),
    start: (controller, stop, abort) => host.start(controller, stop, abort),
    discover: (name, signal) =>
      transport === undefined
        ? Promise.reject(noDiscovery())
        : discover(transport, name, { signal, clock }),
    discoverExactly: (names, signal) =>
      transport === undefined
        ? Promise.reject(noDiscovery())
        : discoverExactly(transport, names, { signal, clock }),
    hasSubresource: (resource, subresource, signal) =>
      transport === undefined
        ? Promise.reject(noDiscovery())
        : hasSubresource(transport, resource, subresource, { signal, clock }),
    ...{ logFor, meter, clock, dryRun, self: selfOf(settings) },
  });
}

function noDiscovery(): ConfigurationError {
  return new ConfigurationError('this connection has no discovery');
}

/** Undefined unless the settings set `installCrds`. */
export function definitionInstallerOf(
  { settings, connection, clock }: OperatorProcessOptions,
  log: Log,
): DefinitionInstaller | undefined {
  if (!settings.installCrds) return undefined;
  const client = connection.clientFor(DEFINITIONS_MANAGER);
  const [namespace = 'default'] = settings.namespaces ?? [];
  return new DefinitionInstaller({ client, clock, log, namespace, force: settings.forceCrds });
}

/**
 * The elector of the process. Undefined without an election, because then every replica leads.
 *
 * @throws ConfigurationError `CONFIG` when the durations of the election contradict each other.
 */
export function electorOf(options: OperatorProcessOptions, log: Log): LeaderElector | undefined {
  const { settings, connection, clock, meter, random, controllers, runnables = [] } = options;
  const { leaderElection } = settings;
  const { sharding } = settings;
  if (leaderElection === undefined || options.leaderElection === false) return undefined;
  if (sharding !== undefined) return undefined;
  const { leaseNamespace, leaseDurationMs, renewDeadlineMs, retryPeriodMs, onLost } =
    leaderElection;
  const leaseName = leaderElection.leaseName ?? leaseNameOf([...controllers, ...runnables]);
  return new LeaderElector({
    client: connection.leaseClientFor('chancery-leader-election'),
    clock,
    identity: leaderIdentity(settings.podName),
    lease: { namespace: leaseNamespace, name: leaseName },
    leaseDurationMs,
    renewDeadlineMs,
    retryPeriodMs,
    onLost,
    log,
    ...(meter && { meter }),
    ...(random && { random }),
  });
}

/** Shares the work of the process with other replicas; undefined unless the settings configure sharding. */
export function shardingOf(
  options: OperatorProcessOptions,
  work: ShardedWork | undefined,
  log: Log,
  recordEvent: EventRecorder['record'],
): Sharding | undefined {
  const { settings, connection, clock, meter, controllers, runnables = [] } = options;
  const { podName, podNamespace, sharding } = settings;
  if (sharding === undefined || work === undefined) return undefined;
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs, leaseNamespace, podUid } = sharding;
  requireDivisible(controllers, sharding);
  const set = setNameOf(sharding, [...controllers, ...runnables]);
  const identity = leaderIdentity(podName);
  // A Lease can have Events and an owner reference only if the Pod of this process is in its namespace.
  const isBeside = podName !== undefined && podNamespace === leaseNamespace;
  const regarding = isBeside && podOf(podName, leaseNamespace, podUid);
  return new Sharding({
    ...{ work, clock, log, identity, set },
    ...(regarding && { record: (note: PodNote) => recordEvent({ ...note, regarding }) }),
    ...(isBeside && podUid !== undefined && { pod: { name: podName, uid: podUid } }),
    ...{ groups: sharding.groups, by: sharding.by, drainMs: sharding.drainMs },
    client: connection.leaseClientFor('chancery-sharding'),
    member: podName ?? identity.replaceAll('_', '-').toLowerCase(),
    namespace: leaseNamespace,
    timing: { leaseDurationMs, renewDeadlineMs, retryPeriodMs },
    ...(meter && { meter }),
  });
}

/** The facts about a process that its health checks read. */
interface ProcessHealth {
  /** False when a Lease was lost and the process should have ended because of that. */
  readonly isHealthy: () => boolean;
  readonly isStuck: () => boolean;
  readonly sources: () => Iterable<NeededSource>;
  readonly running: Omit<StartCheck, 'name'>;
  /** Further checks of `/readyz`. An undefined entry is skipped. */
  readonly others: readonly (StartCheck | undefined)[];
}

/** The checks of `/healthz` and `/readyz`, without the user's checks. */
export function ownChecks(
  options: OperatorProcessOptions,
  { isHealthy, isStuck, sources, running, others }: ProcessHealth,
): { readonly live: readonly HealthCheck[]; readonly ready: readonly StartCheck[] } {
  return {
    live: [
      { name: 'leaderelection', ok: isHealthy },
      { name: 'reconciles', ok: () => !isStuck() },
    ],
    ready: [
      ...sourceChecks(options, sources),
      { name: 'running', ...running },
      ...others.filter((check) => check !== undefined),
    ],
  };
}

/** The checks of `/readyz` for sources: `synced`, and `sources` if the settings set `readySources`. */
function sourceChecks(
  options: OperatorProcessOptions,
  sources: () => Iterable<NeededSource>,
): readonly StartCheck[] {
  const { settings, clock } = options;
  const [, longestWatchSeconds] = settings.watchTimeoutSeconds ?? [];
  const working = sourcesCheck(sources, {
    clock,
    ...(longestWatchSeconds !== undefined && { longestWatchSeconds }),
  });
  const synced = syncedCheck(sources, convertsOf(options));
  return [synced, ...(settings.readySources ? [working] : [])];
}

/**
 * The resources whose objects the process converts. A dry run converts none, so that it does not interfere
 * with another process.
 */
function convertedResources({
  controllers,
  runnables = [],
  webhooks = [],
  dryRun = false,
}: OperatorProcessOptions): readonly DefinedResource[] {
  if (dryRun) return [];
  return [...controllers, ...runnables, ...webhooks]
    .flatMap((declared) => definedResources([declared]))
    .filter(({ convert, convertAll }) => (convert ?? convertAll) !== undefined);
}

function convertsOf(options: OperatorProcessOptions): (resource: Resource) => boolean {
  const names = new Set(convertedResources(options).map(resourceName));
  return (resource) => names.has(resourceName(resource));
}

/**
 * Undefined when there are neither webhooks nor conversions.
 *
 * @throws ConfigurationError `CONFIG` when two webhooks have the same path.
 */
export function webhookServingOf(options: OperatorProcessOptions): WebhookServing | undefined {
  const { servesWebhooks = true, webhooks = [] } = options;
  if (!servesWebhooks) return undefined;
  const converted = convertedResources(options);
  if (webhooks.length === 0 && converted.length === 0) return undefined;
  const convert: AnswerConversion = (review, how) => answerConversion(converted, review, how);
  const parts = converted.length > 0 && { convert, converts: convertsOf(options) };
  return new WebhookServing({ ...options, webhooks, ...parts });
}

/** Undefined when the health port is off. */
export function healthServerOf(
  { answer, settings, healthChecks = {} }: OperatorProcessOptions,
  own: { readonly live: readonly HealthCheck[]; readonly ready: readonly StartCheck[] },
  log: Log,
  view: Pick<ProcessView, 'answer'>,
): HealthServer | undefined {
  if (settings.healthPort === 0) return undefined;
  return new HealthServer({
    port: settings.healthPort,
    host: settings.healthHost,
    hosts: settings.httpHosts,
    live: [...own.live, ...(healthChecks.live ?? [])],
    ready: [...own.ready, ...(healthChecks.ready ?? [])],
    others: view.answer,
    ...(answer && { posted: answer }),
    log,
  });
}

/** The state of the election for the status page. */
export function leadershipStatus({
  leaseName: lease,
  isLeader: leads,
  holder,
}: Pick<LeaderElector, 'leaseName' | 'isLeader' | 'holder'>): LeadershipStatus {
  return { lease, leads, holder };
}

/** What an observer may read about a process. */
export function observedProcess({
  informers,
  host,
  leads,
}: {
  readonly informers: Informers;
  readonly host: ControllerHost;
  readonly leads: () => boolean;
}): ObservedProcess {
  return {
    get leads() {
      return leads();
    },
    get delivered() {
      return host.delivered;
    },
    scopes: () => informers.scopes(),
    waiting: () => host.waiting(),
    groupOf: (source) => informers.groupOf(source),
  };
}
