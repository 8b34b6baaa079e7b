import {
  type Channel,
  ConfigurationError,
  type Controller,
  channel,
  controller,
  type GoneContext,
  type KubernetesObject,
  messageOf,
  type ObjectKey,
  OperatorError,
  type Outcome,
  type ReconcileContext,
  type Resource,
  type Source,
} from 'chancery';
import {
  apiVersionOf,
  type Backoff,
  digestOf,
  exponentialBackoff,
  type RunnableContext,
  sourcesOf,
} from 'chancery/internal';
import { createHookFunctions } from '../call/create-hook-functions.ts';
import { watchedKeys } from '../call/watched-keys.ts';
import { controllerName } from '../controller-name.ts';
import type { SharedParts } from '../controller-parts.ts';
import { InvalidSpecError } from '../parse/invalid-spec.ts';
import { parseController } from '../parse/parse-controller.ts';
import { RELATED_RESOURCES } from '../parse/parse-reference.ts';
import { controllerAccess } from '../rights/controller-access.ts';
import { rulesOn } from '../rights/rules-on.ts';
import type { ControllerSpec } from '../spec.ts';
import { buildControllers } from './build-controllers.ts';
import { ControllerReport } from './controller-report.ts';
import { FailingParents } from './failing-parents.ts';
import { measuredHooks } from './measured-hooks.ts';
import { METACONTROLLER_METRICS } from './metric-names.ts';
import type { MetacontrollerOptions } from './options.ts';
import { refusal } from './refused.ts';
import { RunningController } from './running-controller.ts';
import { ServedResources } from './served-resources.ts';
import { StartError, type Trouble } from './trouble.ts';

/** A custom resource that declares a controller. */
interface Slot {
  readonly kind: string;
  readonly name: string;
  readonly report: ControllerReport;
  readonly backoff: Backoff;
  /** Digest of the object whose controllers were started, or failed to start. */
  identity: string;
  running: RunningController | undefined;
}

/** The first pause after a failed start. */
const RETRY_MS = 1_000;

/**
 * Number of objects whose controllers are started or stopped concurrently. One slow object must not
 * block other objects.
 */
const WORKERS = 8;

/** The state of a controller on the status page. */
export interface ControllerState {
  readonly kind: string;
  readonly name: string;
  readonly state: 'running' | 'starting' | 'failed';
  readonly reason: string;
  readonly message: string;
  readonly failingParents: number;
}

/** Starts and stops the controllers that CompositeControllers and DecoratorControllers declare. */
export class Supervisor {
  readonly #options: MetacontrollerOptions;
  readonly #context: RunnableContext;
  readonly #shared: Omit<SharedParts, 'failed'>;
  readonly #served: ServedResources;
  readonly #signal: AbortSignal;
  readonly #slots = new Map<string, Slot>();

  /** @param signal - stops all controllers when aborted. */
  constructor(
    options: MetacontrollerOptions,
    context: RunnableContext,
    shared: Omit<SharedParts, 'failed' | 'resolve' | 'open'>,
    signal: AbortSignal,
  ) {
    this.#options = options;
    this.#context = context;
    this.#served = new ServedResources(context);
    this.#signal = signal;
    this.#shared = {
      ...shared,
      resolve: (reference, until) => this.#served.find(reference, until),
      open: (source) => context.open(source),
    };
  }

  /** The controller that reconciles objects of one of the two kinds. */
  controllerOf(source: Source): Controller {
    const { resource } = source;
    const woken = channel();
    return controller<KubernetesObject>({
      name: resource.plural,
      for: source,
      triggers: [woken],
      maxConcurrentReconciles: WORKERS,
      reconcile: (object, context) => this.#reconcile({ resource, woken }, object, context),
      gone: (key, context) => this.#gone(slotId(resource, key), context),
    });
  }

  /** The state of each controller, with its kind and name. */
  states(): readonly ControllerState[] {
    return [...this.#slots.values()].map(({ kind, name, report, running }) => ({
      ...{ kind, name, ...report.shown, failingParents: running?.failing.size ?? 0 },
    }));
  }

  /** True when no controller is starting. */
  get idle(): boolean {
    return [...this.#slots.values()].every(({ report }) => report.shown.state !== 'starting');
  }

  /**
   * Stops all controllers without recording Events, because another process continues with them.
   */
  async close(): Promise<void> {
    const reason = new Error('the process stops');
    await Promise.all(
      Array.from(this.#slots.values(), async (slot) => {
        await slot.running?.stop(reason);
        slot.running = undefined;
      }),
    );
  }

  async #reconcile(
    { resource, woken }: { readonly resource: Resource; readonly woken: Channel },
    object: KubernetesObject,
    context: ReconcileContext,
  ): Promise<Outcome> {
    const id = slotId(resource, context.key);
    if (object.metadata.deletionTimestamp !== undefined) return this.#gone(id, context);
    const slot = this.#slots.get(id) ?? this.#newSlot(id, resource, object);
    try {
      return await this.#bring(slot, object, woken, context);
    } finally {
      this.#measure();
    }
  }

  async #gone(id: string, context: GoneContext): Promise<void> {
    const slot = this.#slots.get(id);
    if (slot === undefined) return;
    await this.#stop(slot, context, new Error('the object was deleted'));
    this.#slots.delete(id);
    this.#measure();
  }

  /** Starts, restarts or stops the controller of a slot, so that it matches its object. */
  async #bring(
    slot: Slot,
    object: KubernetesObject,
    woken: Channel,
    context: ReconcileContext,
  ): Promise<Outcome> {
    const identity = identityOf(object);
    const isNew = slot.identity !== identity;
    if (isNew) {
      await this.#stop(slot, context, new Error('the object has changed'));
      slot.backoff.reset();
      slot.identity = identity;
      slot.report.starting(object, context);
    }
    try {
      slot.running ??= await this.#start(object, context, () => woken.send([context.key]));
    } catch (error) {
      return this.#notStarted(slot, object, troubleOf(error, context.signal), context);
    }
    const { trouble } = slot.running;
    if (trouble?.ends === true) {
      await this.#stop(slot, context, new Error(trouble.message));
      return this.#notStarted(slot, object, trouble, context);
    }
    if (trouble === undefined) slot.backoff.reset();
    await slot.report.tell(object, trouble, context);
  }

  async #notStarted(
    slot: Slot,
    object: KubernetesObject,
    trouble: Trouble,
    context: ReconcileContext,
  ): Promise<Outcome> {
    await slot.report.tell(object, trouble, context);
    return { requeueAfterMs: slot.backoff.nextMs() };
  }

  async #start(
    object: KubernetesObject,
    context: ReconcileContext,
    changed: () => void,
  ): Promise<RunningController> {
    const spec = parseController(object);
    const { functions, apiUrl, ownPorts, environment } = this.#options;
    const { clock } = this.#context;
    const keys = watchedKeys(this.#context);
    const made = createHookFunctions(spec, functions, {
      keys,
      apiUrl,
      ownPorts,
      environment,
      clock,
    });
    const hooks = measuredHooks(made, {
      controller: nameOf(spec),
      meter: this.#context.meter,
      clock,
    });
    const failing = new FailingParents(() => {
      this.#measureFailing(nameOf(spec), failing.size);
      changed();
    });
    const shared: SharedParts = {
      ...this.#shared,
      failed: (failure) => {
        this.#countFailure(nameOf(spec), failure.reason);
        failing.failed(failure);
      },
    };
    try {
      const surroundings = { context: this.#context, served: this.#served, hooks, shared };
      const controllers = await buildControllers(spec, surroundings, context.signal);
      const rules = this.#rulesOf(spec, controllers);
      const options = {
        controllers,
        rulesOn: rules,
        hooks,
        keys,
        failing,
        context: this.#context,
        changed,
      };
      return new RunningController({ ...options, signal: this.#signal });
    } catch (error) {
      await Promise.allSettled(Object.values(hooks).map((hook) => hook.close()));
      keys.close();
      throw error;
    }
  }

  /**
   * The rules that `generate` would write for a controller, with the resources that are currently
   * served.
   */
  #rulesOf(spec: ControllerSpec, controllers: readonly Controller[]) {
    const { functions, applyStrategy } = this.#options;
    const known = controllers.flatMap(sourcesOf).map(({ resource }) => resource);
    const { declarations } = controllerAccess(spec, {
      resolve: ({ apiVersion, resource }) =>
        known.find((one) => one.plural === resource && apiVersionOf(one) === apiVersion),
      ownNamespace: this.#shared.revisionsNamespace ?? 'default',
      ...{ functions, applyStrategy },
    });
    return (resource: Resource) => rulesOn(resource, declarations);
  }

  async #stop(slot: Slot, context: GoneContext, reason: Error): Promise<void> {
    const { running, report } = slot;
    if (running === undefined) return;
    report.stopping(context);
    await running.stop(reason);
    slot.running = undefined;
    if (running.failing.size > 0) this.#measureFailing(nameOf(slot), 0);
    report.stopped(context);
  }

  #newSlot(id: string, resource: Resource, object: KubernetesObject): Slot {
    const { discoveryIntervalMs: maxMs } = this.#options;
    const slot: Slot = {
      ...{ kind: resource.kind, name: object.metadata.name, identity: '', running: undefined },
      report: new ControllerReport(resource, object),
      backoff: exponentialBackoff({ initialMs: Math.min(RETRY_MS, maxMs), maxMs }),
    };
    this.#slots.set(id, slot);
    return slot;
  }

  #countFailure(name: string, reason: string): void {
    const { meter } = this.#context;
    meter.count(METACONTROLLER_METRICS.failures, { controller: name, reason });
    if (reason === 'HotLoop') meter.count(METACONTROLLER_METRICS.hotLoops, { controller: name });
  }

  #measureFailing(name: string, count: number): void {
    this.#context.meter.gauge(METACONTROLLER_METRICS.failingParents, { controller: name }, count);
  }

  #measure(): void {
    const counts = { running: 0, starting: 0, failed: 0 };
    for (const { report } of this.#slots.values()) counts[report.shown.state]++;
    for (const [state, count] of Object.entries(counts)) {
      this.#context.meter.gauge(METACONTROLLER_METRICS.controllers, { state }, count);
    }
  }
}

function slotId({ kind }: Resource, key: ObjectKey): string {
  return `${kind} ${key}`;
}

/** A digest that changes when the controller must be restarted. Other metadata are not included. */
function identityOf(object: KubernetesObject): string {
  const { spec } = object as { readonly spec?: unknown };
  const { uid, annotations } = object.metadata;
  return digestOf([uid, spec, annotations?.[RELATED_RESOURCES]]);
}

function nameOf({ kind, name }: { readonly kind: string; readonly name: string }): string {
  return controllerName(kind === 'CompositeController' ? 'composite' : 'decorator', name);
}

function troubleOf(error: unknown, signal: AbortSignal): Trouble {
  signal.throwIfAborted();
  if (error instanceof StartError) {
    return { reason: error.reason, message: error.message, ends: true };
  }
  if (!(error instanceof OperatorError)) throw error;
  const missing = refusal(error);
  if (missing !== undefined) return { reason: 'Forbidden', message: missing, ends: true };
  const isSpec = error instanceof InvalidSpecError || error instanceof ConfigurationError;
  return { reason: isSpec ? 'InvalidSpec' : 'StartFailed', message: messageOf(error), ends: true };
}
