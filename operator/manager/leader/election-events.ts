import type { Log } from '../../controller/reconciler.ts';
import { NEVER_ABORTED } from '../../core/abort.ts';
import type { Clock } from '../../core/clock.ts';
import type { LeadershipLostError } from '../../core/errors.ts';
import type { Meter } from '../../core/metrics.ts';
import { events, type KubernetesEvent, type Lease } from '../../model/builtin.ts';
import { rfc3339Micro } from '../../model/condition.ts';
import { type StatusLine, StatusLines } from '../sources/status-log.ts';
import type { LeaseCalls, LeaseClient } from './lease-calls.ts';

interface ElectionEventsOptions {
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
  /** If false, no Events about the Lease are recorded. */
  readonly recordsEvents: boolean;
}

/** Reports who leads: in the log, as metrics, as Events about the Lease, and to `onNewLeader`. */
export class ElectionEvents {
  readonly #options: ElectionEventsOptions;
  readonly #labels: { readonly name: string };
  readonly #facts: { readonly lease: string; readonly identity: string };
  #holder: string | undefined;
  /** Settles when the Events that are being sent are done; never rejects. */
  #sending: Promise<void> = Promise.resolve();

  constructor(options: ElectionEventsOptions) {
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

  /** @param holder - the current holder; undefined when no process holds the Lease. */
  sees(holder: string | undefined): void {
    const { log, identity, onNewLeader } = this.#options;
    if (holder === this.#holder) return;
    this.#holder = holder;
    if (holder === undefined) return;
    if (holder !== identity) log.info({ ...this.#facts, holder }, 'another process leads');
    try {
      onNewLeader(holder);
    } catch (err) {
      log.warn({ ...this.#facts, err }, 'onNewLeader threw an error');
    }
  }

  /** @param limitMs - milliseconds that sending the Event may take. */
  leads(lease: Lease, limitMs: number): void {
    this.#status(1);
    this.#options.log.info(this.#facts, 'leads');
    this.#record('became leader', lease, limitMs);
  }

  readsAgain(): void {
    this.#options.meter.count('leader_election_slowpath_total', this.#labels);
  }

  /**
   * @param limitMs - milliseconds that sending the Event may take. If it is not positive, no Event is sent.
   */
  loses(error: LeadershipLostError, lease: Lease, limitMs: number): void {
    this.#status(0);
    const { log, onLost } = this.#options;
    const more = onLost === 'standby' ? { onLost } : {};
    log.error({ ...this.#facts, ...more, err: error, layer: error.layer }, 'leadership lost');
    this.#record('stopped leading', lease, limitMs);
  }

  /** Resolves when the Event was sent, or after `limitMs`. */
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

  /** Resolves when no Event is being sent. The `limitMs` of the methods above limits how long this takes. */
  settled(): Promise<void> {
    return this.#sending;
  }

  #status(value: 0 | 1): void {
    this.#options.meter.gauge('leader_election_master_status', this.#labels, value);
  }

  /** Failures are ignored, because leadership does not depend on an Event. */
  #record(what: 'became leader' | 'stopped leading', lease: Lease, limitMs: number): void {
    if (limitMs <= 0 || !this.#options.recordsEvents) return;
    const { calls, client, clock, identity, log, random } = this.#options;
    const event = electionEvent(lease, { identity, what, nowMs: clock.now(), unique: random() });
    const sending = calls
      .bounded((options) => client.create(events, event, options), NEVER_ABORTED, limitMs)
      .catch((err: unknown) => log.debug({ ...this.#facts, err }, 'event not sent'));
    this.#sending = Promise.all([this.#sending, sending]).then(() => {});
  }
}

/**
 * Maximum length of the beginning of an Event's name. A suffix follows, and the whole name is a DNS subdomain
 * of at most 253 characters.
 */
const MAX_NAME_PREFIX = 253 - 1 - 16;

/** The API limit for `reportingInstance`. */
const MAX_INSTANCE = 128;

/** The Event about a Lease that reports a change of leadership. */
function electionEvent(
  lease: Lease,
  {
    identity,
    what,
    nowMs,
    unique,
  }: {
    readonly identity: string;
    readonly what: 'became leader' | 'stopped leading';
    readonly nowMs: number;
    /**
     * A random number in [0, 1). It makes the name unique, because two processes may report about one Lease
     * at the same time.
     */
    readonly unique: number;
  },
): KubernetesEvent {
  const { namespace, name, uid, resourceVersion } = lease.metadata;
  const suffix = BigInt(Math.floor(nowMs)) * 1_000_000n + BigInt(Math.floor(unique * 1_000_000));
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: events.kind,
    metadata: {
      name: `${name.slice(0, MAX_NAME_PREFIX)}.${suffix.toString(16)}`,
      ...(namespace !== undefined && { namespace }),
    },
    eventTime: rfc3339Micro(nowMs),
    reportingController: 'chancery.dev/leader-election',
    reportingInstance: identity.slice(0, MAX_INSTANCE),
    type: 'Normal',
    reason: 'LeaderElection',
    action: what === 'became leader' ? 'Acquire' : 'Release',
    note: `${identity} ${what}`,
    regarding: {
      apiVersion: lease.apiVersion,
      kind: lease.kind,
      name,
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    },
  };
}

/**
 * Logs when requests about the Lease begin to fail and when they succeed again, with at most ten lines per
 * hour, as for sources. `stop` ends the timer.
 */
export class RenewalLog {
  readonly #lines: StatusLines;
  #health: 'healthy' | 'failing' = 'healthy';
  #error: unknown;

  constructor(log: Log, clock: Clock) {
    this.#lines = new StatusLines(clock, ({ status, changes }: StatusLine) => {
      const more = changes > 1 ? { changes } : {};
      if (status.health === 'failing') {
        log.warn({ ...more, err: status.error }, 'the Lease cannot be read or renewed, it retries');
      } else if (status.health === 'healthy') {
        log.info(more, 'the Lease can be read and renewed again');
      }
    });
  }

  /** The error of the last request, if it failed. */
  get error(): unknown {
    return this.#error;
  }

  failed(error: unknown): void {
    this.#error = error;
    this.#enter('failing');
  }

  worked(): void {
    this.#error = undefined;
    this.#enter('healthy');
  }

  stop(): void {
    this.#tell('stopped');
  }

  #enter(health: 'healthy' | 'failing'): void {
    if (health === this.#health) return;
    this.#health = health;
    this.#tell(health);
  }

  #tell(health: 'healthy' | 'failing' | 'stopped'): void {
    this.#lines.changed({ health, reason: undefined, error: this.#error, retryInMs: undefined });
  }
}
