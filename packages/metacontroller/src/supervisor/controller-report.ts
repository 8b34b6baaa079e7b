import {
  type Condition,
  type GoneContext,
  type KubernetesObject,
  OperatorError,
  READY,
  type ReconcileContext,
  type Resource,
  setCondition,
} from 'chancery';
import type { Trouble } from './trouble.ts';

/**
 * The reporter of Events. Metacontroller uses the same name, so existing filters for Events still
 * work.
 */
const REPORTER = 'metacontroller';

/**
 * Reasons that Metacontroller records as `SyncError`. For every other failed start, it records
 * `CreateError`.
 */
const SYNC_ERRORS: ReadonlySet<string> = new Set(['NoStatusSubresource', 'Forbidden', 'HotLoop']);

/**
 * A state that is not written as a condition, because it lasts only moments after each start of the
 * process.
 */
const STARTING = 'Starting';

/** The state of a controller, as users see it. */
interface Shown {
  readonly state: 'running' | 'starting' | 'failed';
  readonly reason: string;
  readonly message: string;
}

const NEW: Shown = { state: 'starting', reason: STARTING, message: '' };

/** A controller object with conditions, if its definition declares them. */
interface Declared extends KubernetesObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/**
 * Reports the state of a controller to users: by Events, its condition, the log, and the status
 * page.
 */
export class ControllerReport {
  readonly #resource: Resource;
  #object: Declared;
  #shown: Shown = NEW;
  /** The last problem that was reported by an Event. */
  #reported = '';
  #isStarted = false;
  /**
   * The last conditions that were sent. If the definition does not declare conditions, the server
   * drops them.
   */
  #sent = '';

  constructor(resource: Resource, object: KubernetesObject) {
    this.#resource = resource;
    this.#object = object;
  }

  get shown(): Shown {
    return this.#shown;
  }

  /** Reports that the controller is being started for the current state of `object`. */
  starting(object: KubernetesObject, context: ReconcileContext): void {
    this.#object = object;
    this.#shown = NEW;
    this.#reported = '';
    this.#isStarted = false;
    this.#record(context, 'Normal', STARTING, `starting ${this.#title}`);
  }

  /**
   * Reports the state.
   *
   * @param trouble - why the controller does not work; undefined when it works.
   */
  async tell(
    object: KubernetesObject,
    trouble: Trouble | undefined,
    context: ReconcileContext,
  ): Promise<void> {
    this.#object = object;
    const { reason = 'Started', message = 'its parents are reconciled' } = trouble ?? {};
    this.#shown = { state: stateOf(trouble), reason, message };
    if (trouble === undefined) this.#works(context);
    else if (reason !== STARTING) this.#fails(trouble, context);
    if (reason !== STARTING) await this.#writeCondition(trouble, context);
  }

  stopping(context: GoneContext): void {
    this.#record(context, 'Normal', 'Stopping', `stopping ${this.#title}`);
  }

  stopped(context: GoneContext): void {
    this.#isStarted = false;
    context.log.info({ target: this.#title }, 'controller is stopped');
    this.#record(context, 'Normal', 'Stopped', `stopped ${this.#title}`);
  }

  get #title(): string {
    return `${this.#resource.kind} ${this.#object.metadata.name}`;
  }

  #works(context: ReconcileContext): void {
    this.#reported = '';
    if (this.#isStarted) return;
    this.#isStarted = true;
    context.log.info({ target: this.#title }, 'controller is started');
    this.#record(context, 'Normal', 'Started', `started ${this.#title}`);
  }

  #fails({ reason, message }: Trouble, context: ReconcileContext): void {
    const text = `${reason}: ${message}`;
    if (text === this.#reported) return;
    this.#reported = text;
    context.log.warn(
      { target: this.#title, reason, problem: message },
      'controller is not working',
    );
    this.#record(context, 'Warning', SYNC_ERRORS.has(reason) ? 'SyncError' : 'CreateError', text);
  }

  #record(
    { events }: Pick<ReconcileContext, 'events'>,
    type: 'Normal' | 'Warning',
    reason: string,
    note: string,
  ): void {
    const regarding = this.#object;
    events.record({ regarding, type, reason, action: 'RunController', note, reporter: REPORTER });
  }

  async #writeCondition(
    trouble: Trouble | undefined,
    { client, clock, log }: ReconcileContext,
  ): Promise<void> {
    const { generation, name, uid } = this.#object.metadata;
    const before = this.#object.status?.conditions ?? [];
    const wanted = {
      type: READY,
      status: trouble === undefined ? 'True' : 'False',
      reason: trouble?.reason ?? 'Started',
      message: trouble?.message ?? 'its parents are reconciled',
      ...(generation !== undefined && { observedGeneration: generation }),
    } as const;
    const conditions = setCondition(before, wanted, clock.now());
    const sent = JSON.stringify([uid, wanted]);
    if (conditions === before || sent === this.#sent) return;
    this.#sent = sent;
    try {
      const patch = { type: 'merge', body: { status: { conditions } } } as const;
      await client.patch(this.#resource, { name }, patch, { subresource: 'status' });
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      log.warn({ err: error, target: this.#title }, 'condition cannot be written');
    }
  }
}

function stateOf(trouble: Trouble | undefined): Shown['state'] {
  if (trouble === undefined) return 'running';
  return trouble.reason === STARTING ? 'starting' : 'failed';
}
