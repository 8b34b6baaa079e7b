import type { Log } from '../../controller/reconciler.ts';
import { NEVER_ABORTED } from '../../core/abort.ts';
import type { Clock } from '../../core/clock.ts';
import type { LeadershipLostError } from '../../core/errors.ts';
import type { Meter } from '../../core/metrics.ts';
import { events, type Lease } from '../../model/builtin.ts';
import { electionEvent } from './election-event.ts';
import type { LeaseCalls, LeaseClient } from './lease-calls.ts';

interface ElectionNewsOptions {
  readonly client: LeaseClient;
  readonly calls: LeaseCalls;
  readonly clock: Clock;
  readonly identity: string;
  readonly lease: { readonly namespace: string; readonly name: string };
  readonly log: Log;
  readonly meter: Meter;
  readonly onNewLeader: (identity: string) => void;
  readonly onLost: 'exit' | 'standby';
  readonly random: () => number;
}

/** Who leads, told to people: the log, metrics, Events about the Lease, and whoever asked. */
export class ElectionNews {
  readonly #options: ElectionNewsOptions;
  readonly #labels: { readonly name: string };
  readonly #facts: { readonly lease: string; readonly identity: string };
  #holder: string | undefined;
  /** Events under way; never rejects. */
  #sending: Promise<void> = Promise.resolve();

  constructor(options: ElectionNewsOptions) {
    this.#options = options;
    const { lease, identity } = options;
    this.#labels = { name: lease.name };
    this.#facts = { lease: `${lease.namespace}/${lease.name}`, identity };
  }

  stands(): void {
    this.#status(0);
    this.#options.meter.count('leader_election_slowpath_total', this.#labels, 0);
    this.#options.log.info(this.#facts, 'stands for leadership');
  }

  /** @param holder - undefined when nobody holds the Lease. */
  sees(holder: string | undefined): void {
    const { log, identity, onNewLeader } = this.#options;
    if (holder === this.#holder) return;
    this.#holder = holder;
    if (holder === undefined) return;
    if (holder !== identity) log.info({ ...this.#facts, holder }, 'another process leads');
    try {
      onNewLeader(holder);
    } catch (err) {
      log.warn({ ...this.#facts, err }, 'what is told of new leaders has thrown');
    }
  }

  /** @param limitMs - no request about it is under way later. */
  leads(lease: Lease, limitMs: number): void {
    this.#status(1);
    this.#options.log.info(this.#facts, 'leads');
    this.#record('became leader', lease, limitMs);
  }

  readsAgain(): void {
    this.#options.meter.count('leader_election_slowpath_total', this.#labels);
  }

  /** @param limitMs - no request about it is under way later; none is sent when it is not positive. */
  loses(error: LeadershipLostError, lease: Lease, limitMs: number): void {
    this.#status(0);
    const { log, onLost } = this.#options;
    const more = onLost === 'standby' ? { onLost } : {};
    log.error({ ...this.#facts, ...more, err: error, layer: error.layer }, 'leadership lost');
    this.#record('stopped leading', lease, limitMs);
  }

  /** Resolves when people have been told, or after `limitMs`. */
  stops(lease: Lease, limitMs: number): Promise<void> {
    this.#status(0);
    this.#record('stopped leading', lease, limitMs);
    return this.#sending;
  }

  released(failure?: unknown): void {
    const { log } = this.#options;
    if (failure === undefined) log.info(this.#facts, 'leadership released');
    else log.warn({ ...this.#facts, err: failure }, 'the Lease was not released, it expires');
  }

  /** Resolves when no request is under way; the limits above bound that. */
  settled(): Promise<void> {
    return this.#sending;
  }

  #status(value: 0 | 1): void {
    this.#options.meter.gauge('leader_election_master_status', this.#labels, value);
  }

  /** Best effort: leadership does not depend on whether people hear of it. */
  #record(what: 'became leader' | 'stopped leading', lease: Lease, limitMs: number): void {
    if (limitMs <= 0) return;
    const { calls, client, clock, identity, log, random } = this.#options;
    const event = electionEvent(lease, { identity, what, nowMs: clock.now(), unique: random() });
    const sending = calls
      .bounded((options) => client.create(events, event, options), NEVER_ABORTED, limitMs)
      .catch((err: unknown) => log.debug({ ...this.#facts, err }, 'event not sent'));
    this.#sending = Promise.all([this.#sending, sending]).then(() => {});
  }
}
