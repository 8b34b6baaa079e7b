import type { CallOptions, Client } from '../../client/client.ts';
import { withTimeout } from '../../core/abort.ts';
import type { Clock } from '../../core/clock.ts';
import { AmbassadorError, ProtocolError } from '../../core/errors.ts';
import { type Lease, leases } from '../../model/builtin.ts';
import type { StoredLease } from './lease-record.ts';

/** The methods of a client that an elector uses. */
export type LeaseClient = Pick<Client, 'find' | 'create' | 'update'>;

interface LeaseCallsOptions {
  /** Must have its own connections and must not retry: `Connection.leaseClientFor`. */
  readonly client: LeaseClient;
  readonly clock: Clock;
  readonly lease: { readonly namespace: string; readonly name: string };
  /** Milliseconds that one request may take. */
  readonly boundMs: number;
}

/** The requests about one Lease. No request takes longer than the limit, whatever the client does. */
export class LeaseCalls {
  readonly #options: LeaseCallsOptions;

  constructor(options: LeaseCallsOptions) {
    this.#options = options;
  }

  /** Undefined when the Lease does not exist. */
  async find(signal: AbortSignal): Promise<StoredLease | undefined> {
    const { client, lease } = this.#options;
    const found = await this.bounded((options) => client.find(leases, lease, options), signal);
    return found === undefined ? undefined : versioned(found);
  }

  async create(lease: Lease, signal: AbortSignal): Promise<StoredLease> {
    const { client } = this.#options;
    return versioned(
      await this.bounded((options) => client.create(leases, lease, options), signal),
    );
  }

  /**
   * Replaces exactly the Lease that was read. The request carries uid and resourceVersion, because a PUT
   * without a uid creates a Lease that is missing, whatever resourceVersion the request has.
   */
  async update(lease: StoredLease, signal: AbortSignal): Promise<StoredLease> {
    const { client } = this.#options;
    return versioned(
      await this.bounded((options) => client.update(leases, lease, options), signal),
    );
  }

  /**
   * Runs `call`, and aborts it after `boundMs`. @throws AmbassadorError `AMBASSADOR_TIMEOUT` if it was
   * aborted.
   */
  async bounded<T>(
    call: (options: CallOptions) => Promise<T>,
    signal: AbortSignal,
    boundMs: number = this.#options.boundMs,
  ): Promise<T> {
    const tooLate = (): AmbassadorError =>
      new AmbassadorError('a request about the Lease took too long', {
        code: 'AMBASSADOR_TIMEOUT',
        fate: 'unknown',
        context: { timeoutMs: boundMs },
      });
    const { clock } = this.#options;
    return withTimeout({ clock, signal, timeoutMs: boundMs, tooLate }, (limited) =>
      call({ signal: limited }),
    );
  }
}

/**
 * Requires both fields. Without them the next PUT could replace a different Lease than the one that was read.
 */
function versioned(lease: Lease): StoredLease {
  const { uid, resourceVersion } = lease.metadata;
  if (uid && resourceVersion) {
    return { ...lease, metadata: { ...lease.metadata, uid, resourceVersion } };
  }
  throw new ProtocolError('a Lease has neither uid nor resourceVersion, or only one', {
    code: 'DECODE',
  });
}
