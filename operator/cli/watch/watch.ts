import { type Connection, connect } from '../../client/connection.ts';
import { discover, isUnknownResource, resourceFromPath } from '../../client/discovery.ts';
import { parseTypedName } from '../../client/list-answer.ts';
import type { Log } from '../../controller/reconciler.ts';
import { linkedAbort } from '../../core/abort.ts';
import { type Clock, sleep, systemClock } from '../../core/clock.ts';
import { ConfigurationError, OperatorError } from '../../core/errors.ts';
import { createLogger } from '../../manager/observe/logger.ts';
import { settingsFrom } from '../../manager/settings/settings.ts';
import { logNotice, logStatus, statusLog } from '../../manager/sources/status-log.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { apiVersionOf, type Resource, resourceName } from '../../model/resource.ts';
import { ApiError } from '../../model/status.ts';
import type { Change } from '../../store/change.ts';
import type { Transport } from '../../transport/transport.ts';
import type { ListWatch } from '../../watch/list-watch.ts';
import { type Action, classify, NO_HISTORY } from '../../watch/policy/classify.ts';
import { Pace } from '../../watch/policy/pace.ts';
import { Reflector } from '../../watch/reflector.ts';
import { type ReflectorStatus, StatusReporter } from '../../watch/reflector-status.ts';
import type { ExitCode, Io } from '../command.ts';
import type { GivenTo } from '../command-table.ts';
import { LineWriter } from '../line-writer.ts';
import { type WatchArguments, watchArguments } from './arguments.ts';
import { syncMarkerLine, type Unprintable, watchLines } from './lines.ts';
import { PrintedObjects } from './printed-objects.ts';
import type { WATCH } from './table.ts';

/**
 * `chancery watch`: prints a collection and all its changes as lines until it is stopped. With
 * `--once` it ends after the first list.
 */
export async function runWatch(
  given: GivenTo<typeof WATCH>,
  io: Io,
  clock: Clock = systemClock,
): Promise<ExitCode> {
  const settings = settingsFrom(io.env);
  const wanted = watchArguments(given, settings);
  const { logLevel, logFormat: format } = settings;
  const log = createLogger(logLevel, io.stderr, { format, environment: io.env });
  io.saveMemory(); // objects are released when they are printed
  const connection = connect(wanted.apiUrl, { clock });
  using output = new LineWriter(io.stdout, io.signal);
  let unprintedCount = 0;
  const unprinted = (): void => void unprintedCount++;
  try {
    await follow(wanted, { connection, output, clock, log, unprinted });
  } catch (error) {
    if (!output.signal.aborted) throw error;
  } finally {
    await connection.close();
  }
  if (output.failure !== undefined) {
    io.stderr.write(`chancery watch: output cannot be written: ${output.failure.message}\n`);
  }
  if (unprintedCount > 0) {
    const changes = `${unprintedCount} ${unprintedCount === 1 ? 'change' : 'changes'}`;
    io.stderr.write(`chancery watch: could not print ${changes}: the log names the objects\n`);
  }
  return output.failure === undefined && unprintedCount === 0 ? 0 : 1;
}

interface Surroundings {
  readonly connection: Connection;
  readonly output: LineWriter;
  readonly clock: Clock;
  readonly log: Log;
  /** Called for each change that could not be printed. */
  readonly unprinted: () => void;
}

/** Prints until the signal of the output aborts or, with `--once`, until the first list is printed. */
async function follow(wanted: WatchArguments, surroundings: Surroundings): Promise<void> {
  const { connection, output, clock, log, unprinted } = surroundings;
  const { signal } = output;
  const { once } = wanted;
  const options = { clock, log, signal, once };
  const found = await findResource(connection.transport, wanted.resource, options);
  const scope = scopeOf(wanted, found);
  const facts = { resource: resourceName(scope.resource), namespace: scope.namespace ?? '*' };
  const source = connection.listWatchFor(scope);

  using stop = linkedAbort(signal);
  let refusal: OperatorError | undefined;
  const logChange = statusLog(log, facts, {
    clock,
    resourceVersion: () => reflector.resourceVersion,
  });
  const objects = new PrintedObjects({
    form: { apiVersion: apiVersionOf(scope.resource), kind: scope.resource.kind },
    print: printer(surroundings, facts),
    statusChanged: (status) => {
      if (!objects.listed) refusal ??= refusalOf(status, once);
      if (refusal !== undefined) stop.abort(refusal);
      if (refusal === undefined || status.health === 'stopped') logChange(status);
    },
    verified: (drift) => {
      if (drift.length > 0) {
        log.warn({ ...facts, count: drift.length }, 'missed changes were found');
      }
    },
    unreadable: (error) => {
      reflector.unreadable(error);
      if (once) unprinted(); // otherwise it is listed again
    },
    signal: stop.signal,
  });
  const synced = async (version: string): Promise<void> => {
    if (wanted.syncMarker) await output.write([syncMarkerLine(scope.resource, version)]);
    if (once) stop.abort(new Error('the first list is printed'));
    stop.signal.throwIfAborted();
  };
  const reflector: Reflector<KubernetesObject> = new Reflector(
    wanted.syncMarker || once ? onFirstWatch(source, synced) : source,
    objects,
    { clock, ...timesOf(wanted), onNotice: (notice) => logNotice(log, facts, notice) },
  );
  await reflector.run(stop.signal);
  if (refusal !== undefined) throw refusal;
}

/**
 * A function that prints changes, each as a line. A change that cannot be printed is logged and
 * counted.
 */
function printer(
  { output, log, unprinted }: Surroundings,
  facts: object,
): (changes: Iterable<Change>) => Promise<void> {
  const unprintable: Unprintable = (key, why) => {
    unprinted();
    log.error({ ...facts, key, why }, 'a change cannot be printed');
  };
  return async (changes) => {
    try {
      await output.write(watchLines(changes, unprintable));
    } catch (err) {
      unprinted();
      log.error({ ...facts, err }, 'printing failed');
    }
  };
}

/** The two options of the reflector that can be set on the command line. */
function timesOf({ relistIntervalMs, watchTimeoutSeconds }: WatchArguments) {
  return {
    ...(relistIntervalMs !== undefined && { relistIntervalMs }),
    ...(watchTimeoutSeconds && { watchTimeoutSeconds }),
  };
}

function scopeOf(
  wanted: WatchArguments,
  found: FoundResource,
): Parameters<Connection['listWatchFor']>[0] {
  const { resource } = found;
  const namespace = wanted.resource.startsWith('/') ? found.namespace : wanted.namespace;
  const name = found.name ?? wanted.name;
  const fields = [name === undefined ? undefined : `metadata.name=${name}`, wanted.fieldSelector];
  return {
    resource,
    namespace: resource.namespaced ? namespace : undefined,
    labelSelector: wanted.labelSelector,
    fieldSelector: fields.filter((field) => field !== undefined).join(',') || undefined,
  };
}

/**
 * The error when the server rejects the first list itself, such as for an unsupported selector.
 * With `--once`, also the error when a right is missing or the resource is not served. Without
 * `--once`, the command waits in these two cases.
 */
function refusalOf(
  { health, reason, error }: ReflectorStatus,
  once: boolean,
): OperatorError | undefined {
  const isLasting = once && (health === 'forbidden' || health === 'unserved');
  if (isLasting) return error instanceof OperatorError ? error : undefined;
  if (reason !== 'rejected' || !(error instanceof ApiError)) return undefined;
  return new ConfigurationError(`the API server refuses: ${error.message}`, { cause: error });
}

/**
 * A copy of `source` that calls `synced` between the first complete list and the first watch. By then all
 * objects of the list have been delivered.
 */
function onFirstWatch(
  source: ListWatch<KubernetesObject>,
  synced: (resourceVersion: string) => Promise<void>,
): ListWatch<KubernetesObject> {
  let first = true;
  return {
    discovery: source.discovery,
    listPage: (request) => source.listPage(request),
    async watch(request) {
      if (first) await synced(request.resourceVersion);
      first = false;
      return source.watch(request);
    },
  };
}

/** The resource for a name or a path. */
export interface FoundResource {
  readonly resource: Resource;
  /** The namespace in a path. */
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

interface FindResourceOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Do not wait for a right, or for a resource that may be installed later. Default false. */
  readonly once?: boolean;
}

/**
 * Finds the resource that the user typed. Retries until the API server answers.
 *
 * A path is exact and needs no discovery: the function waits until the server serves it. It also
 * waits for a name whose group has a dot, because a custom resource may be installed later. Any
 * other unknown name is treated as a typing error.
 *
 * @throws ConfigurationError `CONFIG` for a name that the server does not know; the message lists
 * the nearest names.
 * @throws `signal.reason` when aborted.
 */
export async function findResource(
  transport: Transport,
  text: string,
  { clock, log, signal, once = false }: FindResourceOptions,
): Promise<FoundResource> {
  const pace = new Pace(clock, Math.random);
  const reporter = new StatusReporter((status) => {
    const isRefused = status.reason === 'filtered' && !text.startsWith('/');
    logStatus(log, { resource: text, ...(isRefused && { hint: PATH_HINT }) }, status);
  });
  for (;;) {
    let failure: unknown;
    try {
      return await lookUp(transport, text, { clock, signal });
    } catch (error) {
      signal.throwIfAborted();
      failure = error;
    }
    const mayCome = !once && mayComeLater(text);
    const action = isUnknownResource(failure) && mayCome ? UNSERVED : retry(failure);
    if (once && LASTING.has(action.reason)) throw failure;
    const delayMs = pace.delayMs(action);
    reporter.failed(action, delayMs, failure);
    await sleep(clock, delayMs, signal);
  }
}

/**
 * A hint for users. A generated filter opens only the paths that an operator uses, so general
 * discovery may be refused.
 */
const PATH_HINT =
  'a RESOURCE that is a path needs no discovery, such as /api/v1/namespaces/demo/configmaps';

async function lookUp(
  transport: Transport,
  text: string,
  options: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<FoundResource> {
  if (text.startsWith('/')) return resourceFromPath(transport, text, options);
  const resource = await discover(transport, text, options);
  return { resource, namespace: undefined, name: undefined };
}

/**
 * The action after a failure of the connection or the server. A failure that the user caused is
 * thrown.
 */
function retry(failure: unknown): Action {
  if (failure instanceof ConfigurationError) throw failure;
  return classify({ during: 'list', error: failure }, NO_HISTORY);
}

const UNSERVED: Action = { step: 'resume', wait: 'unserved', atLeastMs: 0, reason: 'unserved' };

/** Reasons why a request keeps failing until a person does something about it. */
const LASTING: ReadonlySet<Action['reason']> = new Set(['forbidden', 'filtered', 'unserved']);

function mayComeLater(text: string): boolean {
  if (text.startsWith('/')) return true;
  return parseTypedName(text).filters.some(({ group }) => group?.includes('.') === true);
}
