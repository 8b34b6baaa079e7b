import type { Action, Reason } from './classify.ts';

/** What a reflector is doing, as far as somebody outside can act on it. */
export interface ReflectorStatus {
  /**
   * `starting`: nothing has worked or failed yet. `healthy`: the last request worked. `failing`: it
   * retries. `unserved`: the server does not have the resource (now). `forbidden`: RBAC or the
   * ambassador's filter refuses. `stopped`: for good.
   */
  readonly health: 'starting' | 'healthy' | 'failing' | 'unserved' | 'forbidden' | 'stopped';
  /** Why it is not healthy. */
  readonly reason: Reason | undefined;
  readonly error: unknown;
  /** The first of the delays, in milliseconds. */
  readonly retryInMs: number | undefined;
}

const HEALTH: Partial<Record<Reason, ReflectorStatus['health']>> = {
  unserved: 'unserved',
  forbidden: 'forbidden',
  filtered: 'forbidden',
  unwatchable: 'healthy', // it is listed every 30 s instead
};

/** Failures that come after a server has accepted: accepting again does not disprove them. */
const NEEDS_PROOF: ReadonlySet<Reason> = new Set([
  'ended-at-once',
  'broken',
  'expired',
  'server-error',
  'overloaded',
  'undecodable',
  'ahead-of-server',
]);

/** A stall or a routine relist is part of normal life, and no state of its own. */
const ROUTINE: ReadonlySet<Reason> = new Set(['ended', 'stalled', 'expired']);

/**
 * Turns attempts into states: speaks when health changed, and once for each reason of a failure that
 * lasts, however often reasons take turns.
 */
export class StatusReporter {
  readonly #tell: (status: ReflectorStatus) => void;
  #status: ReflectorStatus = plain('starting');
  /** Reasons that were told since the health changed. */
  readonly #told = new Set<Reason>();

  constructor(tell: (status: ReflectorStatus) => void) {
    this.#tell = tell;
  }

  get status(): ReflectorStatus {
    return this.#status;
  }

  /** A new run begins, perhaps after another one. */
  starting(): ReflectorStatus {
    if (this.#status.health === 'stopped') this.#enter(plain('starting'));
    return this.#status;
  }

  /** A list is in the sink. The watch that follows decides whether all is well. */
  listed(): void {
    if (this.#status.health === 'starting') this.#enter(plain('healthy'));
  }

  /** A watch was accepted. */
  accepted(): void {
    const { reason } = this.#status;
    if (reason === undefined || !NEEDS_PROOF.has(reason)) this.#enter(plain('healthy'));
  }

  /** A watch has delivered. */
  proven(): void {
    this.#enter(plain('healthy'));
  }

  failed({ reason, wait }: Action, retryInMs: number, error?: unknown): void {
    if (ROUTINE.has(reason) && wait === 'none') return;
    this.#enter({ health: HEALTH[reason] ?? 'failing', reason, error, retryInMs });
  }

  stopped(): void {
    this.#enter(plain('stopped'));
  }

  #enter(status: ReflectorStatus): void {
    const { health, reason } = status;
    const changed = health !== this.#status.health;
    this.#status = status;
    if (changed) this.#told.clear();
    else if (reason === undefined || this.#told.has(reason)) return;
    if (reason !== undefined) this.#told.add(reason);
    this.#tell(status);
  }
}

function plain(health: ReflectorStatus['health']): ReflectorStatus {
  return { health, reason: undefined, error: undefined, retryInMs: undefined };
}
