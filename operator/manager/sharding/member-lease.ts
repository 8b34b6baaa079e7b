import type { Clock } from '../../core/clock.ts';
import { isNotFound } from '../../model/not-found.ts';
import { isAlreadyExists, isConflict } from '../../model/status.ts';
import { LeaseCalls, type LeaseClient } from '../leader/lease-calls.ts';
import { type Claim, released, renewed, type StoredLease } from '../leader/lease-record.ts';
import { memberLease, type PodReference } from './members.ts';

interface MemberLeaseOptions {
  readonly client: LeaseClient;
  readonly clock: Clock;
  readonly identity: string;
  readonly namespace: string;
  readonly name: string;
  readonly set: string;
  readonly generation: string;
  readonly leaseDurationMs: number;
  /** The Lease is deleted together with this Pod. If undefined, the Lease stays. */
  readonly pod: PodReference | undefined;
}

const REQUEST_MS = 5_000;

/**
 * The Lease by which this process declares that it can take groups. Only this process writes and renews it.
 */
export class MemberLease {
  readonly #options: MemberLeaseOptions;
  readonly #calls: LeaseCalls;
  #stored: StoredLease | undefined;

  constructor(options: MemberLeaseOptions) {
    this.#options = options;
    const { client, clock, name, namespace } = options;
    this.#calls = new LeaseCalls({
      client,
      clock,
      lease: { namespace, name },
      boundMs: REQUEST_MS,
    });
  }

  /** @throws the error of a request. */
  async renew(signal: AbortSignal): Promise<void> {
    const lease = this.#stored ?? (await this.#calls.find(signal));
    try {
      this.#stored = await this.#write(lease, signal);
    } catch (error) {
      // The Lease was written by a predecessor in the same Pod, or by an unknown client. It is read again in
      // the next round.
      this.#stored = undefined;
      if (!isConflict(error) && !isAlreadyExists(error) && !isNotFound(error)) throw error;
    }
  }

  /** Declares that this process takes no more groups. Never rejects, because the Lease expires anyway. */
  async release(): Promise<void> {
    const { clock } = this.#options;
    const stored = this.#stored;
    if (stored === undefined) return;
    await this.#calls
      .update(released(stored, clock.now()), AbortSignal.timeout(REQUEST_MS))
      .catch(() => {});
  }

  #write(lease: StoredLease | undefined, signal: AbortSignal): Promise<StoredLease> {
    const { clock, generation, identity, leaseDurationMs, name, namespace, pod, set } =
      this.#options;
    const claim: Claim = { identity, leaseDurationMs, nowMs: clock.now() };
    const wanted = memberLease({ namespace, name }, claim, { set, generation }, pod);
    if (lease === undefined) return this.#calls.create(wanted, signal);
    const { labels, annotations } = wanted.metadata;
    const metadata = {
      ...lease.metadata,
      labels: { ...lease.metadata.labels, ...labels },
      annotations: { ...lease.metadata.annotations, ...annotations },
    };
    return this.#calls.update(renewed({ ...lease, metadata }, claim), signal);
  }
}
