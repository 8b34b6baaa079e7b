import { ConfigurationError, OperatorError } from '../core/errors.ts';
import { pods } from '../model/kubernetes/resources.ts';
import type { KubernetesObject } from '../model/object.ts';
import { type Resource, resourceName } from '../model/resource.ts';
import { ApiError } from '../model/status.ts';
import type { Client, Target } from './client.ts';
import { decorateClient, type RemoveCall, type WriteCall } from './client-decorator.ts';

/** A write that was asked for, and what it would have done. */
export interface DryWrite {
  readonly verb: (WriteCall | RemoveCall)['verb'];
  readonly resource: Resource;
  readonly subresource?: string;
  /** Of an object whose name the server makes up, the prefix and `*`. */
  readonly target: Target;
  /** The object as it is; undefined when there is none, and with `unread`. */
  readonly before: KubernetesObject | undefined;
  /** What the server would have stored; undefined for a delete and an eviction, and when it refused. */
  readonly after: KubernetesObject | undefined;
  /** Why the object as it is could not be read. */
  readonly unread?: OperatorError;
  /** Why the server, or the ambassador's filter, would not have let it be done. */
  readonly refusal?: OperatorError;
  /** Of a delete or an eviction: what it asked for besides. */
  readonly options?: object;
}

/** Where writes go instead of into the cluster. No method may throw. */
export interface DryRunSink {
  wrote(write: DryWrite): void;
  /** An Event, which is not sent. */
  event(event: KubernetesObject): void;
}

/**
 * `client`, whose reads are as they are and whose writes are dry: the server is asked what it would
 * do, with `dryRun=All`, its answer is returned and told to `sink`, beside the object as it was right
 * before, and nothing is stored. What the server refuses is told as well, and thrown as always. Events
 * are not sent at all.
 *
 * What was created is not there when it is read afterwards.
 *
 * @throws ConfigurationError `CONFIG`, and nothing is sent, for a subresource that knows no dry run: a
 *   connection to a container or to what is behind (`exec`, `attach`, `portforward`, `proxy`).
 */
export function dryRunClient(client: Client, sink: DryRunSink): Client {
  return decorateClient(client, {
    async write(call, next) {
      if (isEvent(call.resource)) return recordEvent(call, sink);
      refuseConnections(call);
      const dry = { ...call, options: { ...call.options, dryRun: true } };
      if (isQuestion(call.resource)) return next(dry);
      const facts = { ...factsOf(call), ...(await liveObject(client, call)) };
      const after = await refusalsTold(sink, facts, () => next(dry));
      sink.wrote({ ...facts, after });
      return after;
    },
    async remove(call, next) {
      const { signal, ...options } = call.options;
      const resource = call.verb === 'evict' ? pods : call.resource;
      const { verb, target } = call;
      const live = await find(client, resource, target, signal);
      const facts = { verb, resource, target, ...live, ...(hasFields(options) && { options }) };
      await refusalsTold(sink, facts, () =>
        next({ ...call, options: { ...call.options, dryRun: true } }),
      );
      sink.wrote({ ...facts, after: undefined });
    },
  });
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

/** Nothing for what is created under a name that nobody knows yet. */
async function liveObject(client: Client, call: WriteCall): Promise<Live> {
  const target = targetOf(call);
  if (target.name.endsWith('*')) return { before: undefined };
  return find(client, call.resource, target, call.options.signal);
}

/** An operator that may write an object need not be allowed to read it. */
async function find(
  client: Client,
  resource: Resource,
  target: Target,
  signal: AbortSignal | undefined,
): Promise<Live> {
  try {
    return { before: await client.find(resource, target, { signal }) };
  } catch (error) {
    if (isRefusal(error)) return { before: undefined, unread: error };
    throw error;
  }
}

/** By the server, or by the filter in front of it: asking again would not help. */
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

/** Reviews are created to be answered: nothing is stored, and a token may be in them. */
function isQuestion({ group, kind }: Resource): boolean {
  return (
    kind.endsWith('Review') &&
    (group === 'authentication.k8s.io' || group === 'authorization.k8s.io')
  );
}

/** @returns what the server might have answered; of a patch, what is known without it. */
function recordEvent<T extends KubernetesObject>(call: WriteCall<T>, sink: DryRunSink): T {
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
