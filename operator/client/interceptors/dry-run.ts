import { ConfigurationError, OperatorError } from '../../core/errors.ts';
import type { KubernetesObject, Target } from '../../model/object.ts';
import { type Resource, resourceName } from '../../model/resource.ts';
import { ApiError } from '../../model/status.ts';
import {
  type Interceptor,
  isRead,
  isRemoval,
  type Next,
  type RemoveCall,
  type WriteCall,
} from '../call.ts';

/** A write that was not carried out, and the change that it would have made. */
export interface DryWrite {
  readonly verb: (WriteCall | RemoveCall)['verb'];
  readonly resource: Resource;
  readonly subresource?: string;
  /** The written object. If the server generates its name, the name here is the prefix followed by `*`. */
  readonly target: Target;
  /** The object before the write. Undefined when it did not exist, and when `unread` is set. */
  readonly before: KubernetesObject | undefined;
  /** The object that the server would have stored; undefined for a removal and after a refusal. */
  readonly after: KubernetesObject | undefined;
  /** Why the object could not be read before the write. */
  readonly unread?: OperatorError;
  /** Why the server or the ambassador's filter would have refused the write. */
  readonly refusal?: OperatorError;
  /** The options of a delete or an eviction, if it has any. */
  readonly options?: object;
}

/** Receives the writes of a dry run. No method may throw. */
export interface DryRunSink {
  wrote(write: DryWrite): void;
  /** Called with an Event. Events are not sent. */
  event(event: KubernetesObject): void;
}

/**
 * Stores nothing. Reads pass unchanged. A write is sent with `dryRun=All`: the server returns the object that
 * it would store, and the caller gets that answer. `sink` gets the answer, and the object as it was right
 * before the write. A refusal is also passed to `sink`, and thrown as usual. Events are not sent at all.
 *
 * An object that was created in a dry run cannot be read afterwards. If the option `dryRun` of a call is
 * true, the code itself does not intend to store anything, so the call is not passed to `sink`.
 *
 * @throws ConfigurationError `CONFIG`, and sends nothing, for a subresource without a dry run: a connection
 *   to a container or a port (`exec`, `attach`, `portforward`, `proxy`).
 */
export function dryRun(sink: DryRunSink): Interceptor {
  return (next) => async (call) => {
    if (isRead(call)) return next(call);
    if (isRemoval(call)) return removeDry(call, next, sink);
    return writeDry(call, next, sink);
  };
}

async function writeDry(call: WriteCall, next: Next, sink: DryRunSink): Promise<KubernetesObject> {
  if (call.options.dryRun === true) return next(call);
  if (isEvent(call.resource)) return recordEvent(call, sink);
  refuseConnections(call);
  const dry = { ...call, options: { ...call.options, dryRun: true } };
  if (isReview(call.resource)) return next(dry);
  const facts = { ...factsOf(call), ...(await writtenObject(call, next)) };
  const after = await refusalsTold(sink, facts, () => next(dry));
  sink.wrote({ ...facts, after });
  return after;
}

async function removeDry(call: RemoveCall, next: Next, sink: DryRunSink): Promise<undefined> {
  const { verb, resource, target } = call;
  const { signal, ...options } = call.options;
  const live = await liveObject(next, resource, target, signal);
  const facts = { verb, resource, target, ...live, ...(hasFields(options) && { options }) };
  await refusalsTold(sink, facts, () =>
    next({ ...call, options: { ...call.options, dryRun: true } }),
  );
  sink.wrote({ ...facts, after: undefined });
}

type Facts = Omit<DryWrite, 'after' | 'refusal'>;

async function refusalsTold<T>(
  sink: DryRunSink,
  facts: Facts,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (isRefusal(error)) sink.wrote({ ...facts, after: undefined, refusal: error });
    throw error;
  }
}

type Live = Pick<DryWrite, 'before' | 'unread'>;

function factsOf(call: WriteCall): Omit<Facts, 'before'> {
  const { verb, resource } = call;
  const { subresource } = call.options;
  return { verb, resource, target: targetOf(call), ...(subresource && { subresource }) };
}

function targetOf(call: WriteCall): Target {
  if (call.verb === 'patch') return call.target;
  const { name, namespace, generateName } = call.object.metadata;
  return {
    ...(namespace && { namespace }),
    name: name || `${generateName ?? ''}*`,
  };
}

/**
 * The object that a write changes. If the server generates the object's name, the object does not exist yet.
 */
async function writtenObject(call: WriteCall, next: Next): Promise<Live> {
  const target = targetOf(call);
  if (target.name.endsWith('*')) return { before: undefined };
  return liveObject(next, call.resource, target, call.options.signal);
}

/** Reads the object. Permission to write an object does not imply permission to read it. */
async function liveObject(
  next: Next,
  resource: Resource,
  target: Target,
  signal: AbortSignal | undefined,
): Promise<Live> {
  try {
    return { before: await next({ verb: 'find', resource, target, options: { signal } }) };
  } catch (error) {
    if (isRefusal(error)) return { before: undefined, unread: error };
    throw error;
  }
}

/** True for a refusal by the server or by the ambassador's filter. Repeating the request would not help. */
function isRefusal(error: unknown): error is OperatorError {
  return (
    error instanceof ApiError ||
    (error instanceof OperatorError && error.code === 'AMBASSADOR_FORBIDDEN')
  );
}

function isEvent({ group, plural }: Resource): boolean {
  return plural === 'events' && (group === '' || group === 'events.k8s.io');
}

const CONNECTIONS: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward', 'proxy']);

function refuseConnections({ resource, options: { subresource = '' } }: WriteCall): void {
  if (!CONNECTIONS.has(subresource.split('/', 1)[0] ?? '')) return;
  throw new ConfigurationError('a connection has no dry run, it is not made', {
    context: { resource: resourceName(resource), subresource },
  });
}

/**
 * True for a review, which the server answers without storing anything. Reviews are not passed to `sink`,
 * because they can contain a token.
 */
function isReview({ group, kind }: Resource): boolean {
  return (
    kind.endsWith('Review') &&
    (group === 'authentication.k8s.io' || group === 'authorization.k8s.io')
  );
}

/**
 * Passes an Event to `sink`, and returns an answer in place of the server. The answer to a patch has only the
 * fields of the patch.
 */
function recordEvent(call: WriteCall, sink: DryRunSink): KubernetesObject {
  if (call.verb !== 'patch') {
    sink.event(call.object);
    return call.object;
  }
  const { namespace, name } = call.target;
  const metadata = { name, ...(namespace && { namespace }) };
  return { apiVersion: 'events.k8s.io/v1', kind: 'Event', ...call.patch.body, metadata } as never;
}

function hasFields(options: object): boolean {
  return Object.keys(options).length > 0;
}
