import type { Stored } from '../../../operator/client/client.ts';
import { aborted } from '../../../operator/core/abort.ts';
import type { Clock } from '../../../operator/core/clock.ts';
import type { LeaseClient } from '../../../operator/manager/leader/lease-calls.ts';
import type { KubernetesEvent, Lease } from '../../../operator/model/builtin.ts';
import { ApiError } from '../../../operator/model/status.ts';

/** A request as the store saw it. */
export interface LeaseRequest {
  readonly who: string;
  readonly verb: 'get' | 'create' | 'update' | 'event';
  /** On the store's clock, when it was sent. */
  readonly atMs: number;
  readonly body?: Lease;
}

/**
 * What becomes of a request: served; never answered and not carried out (`hang`); carried out, but its
 * answer lost (`lose-answer`); or failed with an error.
 */
export type Treatment = 'serve' | 'hang' | 'lose-answer' | Error;

type StoredLease = Stored<Lease>;

/**
 * One Lease as an API server keeps it: a PUT with another resourceVersion or uid conflicts, and one
 * without a uid creates what is not there.
 */
export class FakeLeaseStore {
  readonly requests: LeaseRequest[] = [];
  readonly events: KubernetesEvent[] = [];
  /** Decides about each request; replaced by tests. */
  treat: (request: LeaseRequest) => Treatment = () => 'serve';
  /** Runs when a request has been carried out, and before its answer arrives. */
  beforeAnswer: (request: LeaseRequest) => Promise<void> | void = () => {};
  readonly #clock: Clock;
  #lease: StoredLease | undefined;
  #versions = 100;
  #uids = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get lease(): StoredLease | undefined {
    return this.#lease;
  }

  /** What a person does with kubectl: `spec` and whatever else over what is there, or nothing. */
  edit(parts: { readonly spec?: object; readonly labels?: Record<string, string> }): void {
    const lease = this.#lease ?? leaseOf({});
    const metadata = { ...lease.metadata, ...(parts.labels && { labels: parts.labels }) };
    this.#store({ ...lease, metadata, spec: { ...lease.spec, ...parts.spec } });
  }

  delete(): void {
    this.#lease = undefined;
  }

  verbsOf(who: string): readonly LeaseRequest['verb'][] {
    return this.requests.filter((request) => request.who === who).map(({ verb }) => verb);
  }

  clientOf(who: string): LeaseClient {
    const send = <T>(
      verb: LeaseRequest['verb'],
      body: object | undefined,
      signal: AbortSignal | undefined,
      carryOut: () => unknown,
    ): Promise<T> => this.#send<T>({ who, verb }, body, signal, carryOut);
    return {
      find: (_resource, _target, { signal } = {}) =>
        send('get', undefined, signal, () => this.#lease),
      create: (_resource, object, { signal } = {}) =>
        object.kind === 'Event'
          ? send('event', object, signal, () => this.events.push(object as never))
          : send('create', object, signal, () => this.#create(object as unknown as Lease)),
      update: (_resource, object, { signal } = {}) =>
        send('update', object, signal, () => this.#update(object as unknown as Lease)),
    };
  }

  async #send<T>(
    request: Pick<LeaseRequest, 'who' | 'verb'>,
    body: object | undefined,
    signal: AbortSignal = new AbortController().signal,
    carryOut: () => unknown,
  ): Promise<T> {
    signal.throwIfAborted();
    const sent = { ...request, atMs: this.#clock.monotonic(), ...(body && { body: copyOf(body) }) };
    this.requests.push(sent as LeaseRequest);
    const treatment = this.treat(sent as LeaseRequest);
    if (treatment instanceof Error) throw treatment;
    if (treatment === 'hang') {
      await aborted(signal);
      throw signal.reason;
    }
    const answer = copyOf(carryOut() as object | undefined) as T;
    await this.beforeAnswer(sent as LeaseRequest);
    if (treatment === 'serve') return answer;
    await aborted(signal);
    throw signal.reason;
  }

  #create(lease: Lease): StoredLease {
    if (this.#lease !== undefined) throw failure(409, 'AlreadyExists');
    return this.#store(lease);
  }

  #update(lease: Lease): StoredLease {
    const { uid, resourceVersion } = lease.metadata;
    const found = this.#lease;
    if (uid !== undefined && uid !== found?.metadata.uid) throw failure(409, 'Conflict');
    if (found !== undefined && resourceVersion !== found.metadata.resourceVersion) {
      throw failure(409, 'Conflict');
    }
    return this.#store(lease);
  }

  #store(lease: Lease): StoredLease {
    const uid = this.#lease?.metadata.uid ?? `uid-${++this.#uids}`;
    const resourceVersion = String(++this.#versions);
    this.#lease = copyOf({ ...lease, metadata: { ...lease.metadata, uid, resourceVersion } });
    return this.#lease;
  }
}

/** A Lease `demo/operator` before anybody stored it. */
export function leaseOf(spec: object): Lease {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { namespace: 'demo', name: 'operator' },
    spec,
  };
}

export function failure(code: number, reason: string): ApiError {
  return new ApiError({ code, reason, message: 'leases.coordination.k8s.io "operator"' });
}

function copyOf<T extends object | undefined>(value: T): T {
  return value === undefined ? value : structuredClone(value);
}
