/**
 * `--webhook-url`: one POST for each resource that changes, in place of all restarts. No workload is looked at, and of
 * the annotations only `ignore` counts, which the original does not ask here.
 *
 * The hash of every resource in scope is in memory and nowhere else: there is no workload to record it on. What
 * changes while no process leads is not sent.
 */
import {
  type Controller,
  controller,
  enqueueMapped,
  type GoneContext,
  type KubernetesObject,
  keyOf,
  labelChanged,
  type ObjectKey,
  type Predicate,
  splitKey,
} from 'chancery';
import type { Options } from '../contract/options.ts';
import type { NamespaceScope } from '../sources.ts';
import type { ResourceKind } from '../workloads/kind.ts';
import { PostError } from './http-post.ts';
import type { ReceivedEvent, ReloadObserver } from './observer.ts';
import { sendChange, type WebhookChange } from './webhook-call.ts';

type WebhookOptions = Pick<
  Options,
  | 'alertTimeoutMs'
  | 'annotations'
  | 'cloudEvents'
  | 'reloadOnCreate'
  | 'reloadOnDelete'
  | 'syncAfterRestart'
>;

export interface WebhookParts {
  readonly options: WebhookOptions;
  readonly url: string;
  readonly resources: readonly ResourceKind[];
  readonly scope: NamespaceScope;
  readonly observer: ReloadObserver;
  /** Called for each change that was given up. */
  readonly lost?: () => void;
}

/** Calls for one change, as the original makes them: one and five more. */
const MAX_CALLS = 6;

/** Resources that are read and sent at a time: at the start, the content of all in scope is read once. */
const CONCURRENT_READS = 4;

/** Version and annotations of a resource. */
interface Known {
  /** Undefined: the first list had it, and its content was not read yet. */
  readonly hash: string | undefined;
  readonly isIgnored: boolean;
}

/** One controller for each type of resource. They replace those of the workloads. */
export function webhookControllers(parts: WebhookParts): readonly Controller[] {
  return parts.resources.map((kind) => webhookController(kind, parts));
}

/** The index that the sources of all resource kinds have. */
const BY_NAMESPACE = 'namespace';

function webhookController(kind: ResourceKind, parts: WebhookParts): Controller {
  const { scope } = parts;
  const [{ source, nameOf } = noWatch(kind), ...others] = kind.watches;
  return controller({
    name: `reloader-webhook-${kind.plural}`,
    for: source,
    predicate: countedBy(kind, parts.observer),
    watches: scope.reads.map((namespaces) =>
      enqueueMapped(
        namespaces,
        ({ metadata }, { store }) => store(source).byIndex(BY_NAMESPACE, metadata.name).map(keyOf),
        { predicate: labelChanged },
      ),
    ),
    reads: [...scope.reads, ...others.map((each) => each.source), ...(kind.reads ?? [])],
    permissions: kind.permissions,
    // Several statuses tell of one SecretProviderClass: at a time, they would send a change twice.
    maxConcurrentReconciles: kind.type === 'SECRETPROVIDERCLASS' ? 1 : CONCURRENT_READS,
    ...webhookReconciler(kind, nameOf, parts),
  });
}

function noWatch({ type }: ResourceKind): never {
  throw new TypeError(`${type} is watched nowhere`);
}

const EVENT_TYPES: Readonly<Record<string, ReceivedEvent['eventType'] | undefined>> = {
  create: 'add',
  update: 'update',
  delete: 'delete',
};

/** Passes every change, and reports it. */
function countedBy({ plural: resourceType }: ResourceKind, observer: ReloadObserver): Predicate {
  return ({ type, metadata: { name, namespace = '' } }) => {
    const eventType = EVENT_TYPES[type];
    if (eventType !== undefined) observer.received?.({ eventType, resourceType, namespace, name });
    return true;
  };
}

function webhookReconciler(
  kind: ResourceKind,
  nameOf: (object: KubernetesObject) => string | undefined,
  parts: WebhookParts,
): Required<Pick<Controller, 'reconcile' | 'gone'>> {
  const known = new Map<string, Known>();
  const { observer } = parts;
  const handle = async (
    key: ObjectKey,
    object: KubernetesObject | undefined,
    context: GoneContext,
  ): Promise<void> => {
    const { namespace = '', name: own } = splitKey(key);
    const beganAtMs = context.clock.monotonic();
    const tookMs = (): number => context.clock.monotonic() - beganAtMs;
    const name = object === undefined ? own : nameOf(object);
    if (name === undefined || !parts.scope.includes(namespace, context)) return;
    if (context.attempt > 0) observer.retried?.();
    try {
      const target = { namespace, name };
      const hasCalled = await handleChange({ kind, target, object, known, context, ...parts });
      observer.processed?.({ resourceType: kind.plural });
      observer.reconciled?.(hasCalled ? 'success' : 'skipped', tookMs());
    } catch (error) {
      observer.reconciled?.('error', tookMs());
      throw error;
    }
  };
  return {
    reconcile: (object, context) => handle(context.key, object, context),
    gone: (key, context) => handle(key, undefined, context),
  };
}

interface Handling extends WebhookParts {
  readonly kind: ResourceKind;
  readonly target: { readonly namespace: string; readonly name: string };
  /** The object that has changed; undefined when it is gone. */
  readonly object: KubernetesObject | undefined;
  readonly known: Map<string, Known>;
  readonly context: GoneContext;
}

/** Answers whether the webhook was called. */
async function handleChange(handling: Handling): Promise<boolean> {
  const { kind, target, object, known, context, options } = handling;
  const id = `${target.namespace}/${target.name}`;
  const before = known.get(id) ?? firstSight(handling);
  if (object === undefined) {
    const isTold = options.reloadOnDelete && before?.hash !== undefined && !before.isIgnored;
    const hasCalled = isTold && (await call(handling, 'deleted'));
    known.delete(id);
    kind.forget?.(target);
    return hasCalled;
  }
  if (before !== undefined) known.set(id, before);
  const found = kind.find(target, context);
  const hash = found && (await kind.hash(target, found, context));
  if (found === undefined || hash === undefined) return false;
  const { difference = 'restart' } = found;
  if (difference === 'keep' && before?.hash !== undefined) return false;
  const isIgnored = found.annotations[options.annotations.ignore] === 'true';
  const action = difference === 'restart' ? actionOf(before, hash, options) : undefined;
  const hasCalled = action !== undefined && !isIgnored && (await call(handling, action));
  known.set(id, { hash, isIgnored });
  return hasCalled;
}

/** Keys of the first list come with a low priority. A resource of another key was created since. */
function firstSight({ object, context, options }: Handling): Known | undefined {
  if (object === undefined || options.syncAfterRestart || context.priority >= 0) return undefined;
  return { hash: undefined, isIgnored: false };
}

function actionOf(
  before: Known | undefined,
  hash: string,
  { reloadOnCreate }: WebhookOptions,
): WebhookChange['action'] | undefined {
  if (before === undefined) return reloadOnCreate ? 'created' : undefined;
  return before.hash === undefined || before.hash === hash ? undefined : 'updated';
}

/** @throws PostError when no answer came, until the calls for this change are used up. */
async function call(handling: Handling, action: WebhookChange['action']): Promise<boolean> {
  const { kind, target, object, context, options, url, lost = () => {} } = handling;
  const { log, clock, signal } = context;
  if (context.dryRun) {
    log.info({ action, type: kind.type }, 'the webhook would be called');
    return false;
  }
  const version = object?.metadata.resourceVersion ?? '';
  const change = { ...target, type: kind.type, action, version };
  try {
    const { alertTimeoutMs: timeoutMs, cloudEvents } = options;
    const status = await sendChange(change, { url, timeoutMs, cloudEvents, clock, signal });
    // As in the original, every answer will do.
    if (status >= 400) log.warn({ status }, 'the webhook has answered with a failure');
    return true;
  } catch (error) {
    if (!(error instanceof PostError) || context.attempt + 1 < MAX_CALLS) throw error;
    lost();
    log.error({ reason: error.message, calls: MAX_CALLS }, 'the webhook cannot be called');
    return false;
  }
}
