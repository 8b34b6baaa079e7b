import type { Lease } from '../../model/builtin.ts';
import { holderOf, leaseDurationMsOf } from './lease-record.ts';

/**
 * A Lease as a candidate sees it: whether its holder is alive is judged by whether the record changes,
 * on the candidate's own clock. The times in the record are of clocks that may be hours off.
 */
export class ObservedLease {
  /** For a holder that does not say how long it needs. */
  readonly #defaultDurationMs: number;
  #fingerprint: string | undefined;
  #expiresAt = Number.POSITIVE_INFINITY;
  #holder: string | undefined;

  constructor(defaultDurationMs: number) {
    this.#defaultDurationMs = defaultDurationMs;
  }

  /** The holder that was seen last; undefined for none. */
  get holder(): string | undefined {
    return this.#holder;
  }

  /** @param atMs - `clock.monotonic()` after the Lease was read: the later, the longer it is left alone. */
  see(lease: Lease, atMs: number): void {
    const { metadata, spec } = lease;
    const fingerprint = JSON.stringify([
      metadata.uid,
      metadata.resourceVersion,
      spec?.holderIdentity,
      spec?.renewTime,
      spec?.acquireTime,
      Number(spec?.leaseTransitions ?? 0),
    ]);
    this.#holder = holderOf(lease);
    if (fingerprint === this.#fingerprint) return;
    this.#fingerprint = fingerprint;
    this.#expiresAt = atMs + (leaseDurationMsOf(lease) ?? this.#defaultDurationMs);
  }

  /** Whether its holder has been given all the time that it asked for. */
  isExpired(nowMs: number): boolean {
    return nowMs >= this.#expiresAt;
  }
}
