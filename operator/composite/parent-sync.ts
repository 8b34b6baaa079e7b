import { enginePartsOf } from '../controller/children/engine-parts.ts';
import { CONTROLLER_UID } from '../controller/children/existing-child.ts';
import { HotLoops } from '../controller/children/hot-loops.ts';
import { removeFinalizer } from '../controller/finalizers/finalizer.ts';
import type { ReconcileContext } from '../controller/reconciler.ts';
import { isLostRace } from '../controller/run/failure.ts';
import { OperatorError } from '../core/errors.ts';
import type { KubernetesObject } from '../model/object.ts';
import { type Selector, selectorFromObject } from '../model/selector.ts';
import { adoptOrphans } from './adopt-orphans.ts';
import { type Applying, applyChildren, byIdentity, type ObservedChild } from './apply-children.ts';
import { decisionInputs } from './decision-inputs.ts';
import { DecorationWriter } from './decorator/write-decoration.ts';
import type { AnyEngineOptions, PlannedChild, RollingPlan, SyncAnswer } from './engine-options.ts';
import { isQuiet, publicMessage } from './failures.ts';
import { ParentStatus } from './parent-status.ts';
import { planChildren } from './plan-children.ts';
import type { RelatedObjects } from './related/related-objects.ts';
import type { SeenVersions } from './seen-versions.ts';

/**
 * Milliseconds between two calls for an unfinished cleanup, unless something changes or the answer sets
 * another time.
 */
export const FINALIZE_POLL_MS = 60_000;

/** What to do for a parent. */
interface Phase {
  readonly finalizing: boolean;
  /** If false, the children are not changed, because the garbage collector handles them. */
  readonly managesChildren: boolean;
  /**
   * The finalizer to remove when the function has finalized the parent. If undefined, no finalizer is removed
   * here.
   */
  readonly finalizer: string | undefined;
}

/** The result of making a parent match its desired state. */
export interface Brought {
  readonly isFinalized: boolean;
  /** Maximum milliseconds until the function must be called again. */
  readonly requeueAfterMs: number | undefined;
}

/** The input of the function, which is the same for every revision of a parent. */
interface Inputs {
  readonly own: ReadonlyMap<string, readonly KubernetesObject[]>;
  readonly observed: ReadonlyMap<string, ObservedChild>;
  readonly related: ReadonlyMap<string, RelatedObjects>;
  readonly selector: Selector | undefined;
}

interface Decision {
  readonly children: readonly PlannedChild[];
  /** The answers of the function, one for each revision. */
  readonly answers: readonly SyncAnswer[];
  /** The answer for the latest revision. */
  readonly latest: SyncAnswer;
  readonly rollout: RollingPlan | undefined;
}

/**
 * Makes the children and the status of one parent match the answer of the function, in this order: children
 * are claimed, and related objects are read; the function is called; revisions are stored; a decorator writes
 * labels, annotations and status of the object; the finalizer is removed; the children are written; a
 * composite writes the status.
 */
export class ParentSync {
  readonly #options: AnyEngineOptions;
  readonly #seen: SeenVersions;
  readonly #hotLoops = new HotLoops();
  /** Writes the parent's status. Undefined for a decorator. */
  readonly #status: ParentStatus | undefined;
  /** Writes labels, annotations and status of the decorated object. Undefined for a composite. */
  readonly #decorations: DecorationWriter | undefined;

  constructor(options: AnyEngineOptions, seen: SeenVersions) {
    const { status, decorator, hasStatusSubresource = false, parent } = options;
    this.#options = options;
    this.#seen = seen;
    this.#status =
      status &&
      new ParentStatus({ ...options, status, parentResource: parent.resource }, this.#hotLoops);
    const decorating = decorator === undefined ? undefined : { decorator, hasStatusSubresource };
    this.#decorations =
      decorating && new DecorationWriter({ ...options, ...decorating }, this.#hotLoops);
  }

  /**
   * Undefined when the parent is gone.
   *
   * @throws the first failure of a child, or any other error that prevents the desired state.
   */
  async bring(
    parent: KubernetesObject,
    context: ReconcileContext,
    phase: Phase,
  ): Promise<Brought | undefined> {
    const { children: types, parent: source, related, decorator } = this.#options;
    const { finalizing, managesChildren, finalizer } = phase;
    const pollMs = finalizing ? FINALIZE_POLL_MS : undefined;
    const selector = this.#selectorOf(parent);
    const claims = { parent, parentResource: source.resource, sources: types, selector, decorator };
    const own = await adoptOrphans({ ...claims, context });
    if (own === undefined) return { isFinalized: false, requeueAfterMs: pollMs };
    this.#seen.note(parent, [...own.values()].flat());
    const resources = types.map(({ resource }) => resource);
    const inputs = {
      own,
      observed: byIdentity(resources, own),
      related: (await related?.of(parent, context)) ?? new Map<string, RelatedObjects>(),
      selector,
    };
    const decision = await this.#decide(parent, context, phase, inputs);
    await decision.rollout?.store(context);
    const { answers, latest } = decision;
    const isFinalized = finalizing && answers.every(({ finalized }) => finalized === true);
    const removed = isFinalized ? finalizer : undefined;
    const digest = decisionInputs(parent, { ...inputs, answer: latest });
    const decoration = { answer: latest, removed, inputs: () => digest('') };
    const isThere = await this.#decorations?.write(parent, decoration, context);
    if (isThere === false) return undefined;
    if (removed !== undefined && isThere === undefined) {
      await removeFinalizer(context.client, source.resource, parent, removed);
    }
    const isLetGo = removed !== undefined && parent.metadata.deletionTimestamp !== undefined;
    // A decorator still carries out its last answer. For a composite, the garbage collector handles the
    // children.
    const manages = managesChildren && !(isLetGo && this.#status !== undefined);
    const observed = manages ? inputs.observed : undefined;
    await this.#write(parent, context, decision, { observed, digest });
    const requeueAfterMs = earliest(answers) ?? (isFinalized ? undefined : pollMs);
    return { isFinalized, requeueAfterMs };
  }

  /**
   * Reports a failure to people, by an Event, and also by a condition if the definition has conditions. Never
   * throws.
   *
   * @param failure - the failure, and the error that the attempt throws because of it.
   */
  async failed(
    parent: KubernetesObject,
    { error, thrown }: { readonly error: unknown; readonly thrown: unknown },
    context: ReconcileContext,
  ): Promise<void> {
    if (context.signal.aborted || isLostRace(error)) return;
    try {
      await this.#options.failed?.(parent, error, context);
      const { failures } = this.#options;
      if (failures === undefined || isQuiet(error)) return;
      const isTold = failures.once === true && enginePartsOf(context)?.isTold(thrown) === true;
      if (!isTold) context.event('Warning', 'SyncError', publicMessage(error));
      if (failures.condition) {
        await (this.#status ?? this.#decorations)?.failed(parent, error, context);
      }
    } catch (err) {
      if (isLostRace(err)) return; // the next attempt states it
      context.log.warn({ err }, 'a failure could not be written to the status of its object');
    }
  }

  /** Calls the function for each revision, and creates a plan from the answers. Writes nothing. */
  async #decide(
    parent: KubernetesObject,
    context: ReconcileContext,
    { finalizing, managesChildren }: Phase,
    { own, observed, related, selector }: Inputs,
  ): Promise<Decision> {
    const { sync, children: types, generateSelector, decorator } = this.#options;
    const revisions = managesChildren ? this.#options.revisions : undefined;
    const live = await revisions?.read(parent, context);
    const asked = live?.asked ?? [{ name: '', parent }];
    const given = { children: own, related, finalizing, context };
    const answers = await allOf(
      asked.map(async ({ name, parent: each }) => sync({ ...given, parent: each, revision: name })),
    );
    const parentResource = this.#options.parent.resource;
    const placed = { parent, parentResource, types, selector, decorator };
    const rules = { ...placed, generateSelector: generateSelector === true };
    const planned: (readonly PlannedChild[])[] = [];
    for (const answer of answers) planned.push(await planChildren(answer, rules));
    const objects = new Map([...observed].map(([identity, { object }]) => [identity, object]));
    const rollout = await live?.plan(planned, objects);
    const [latest = { children: [] }] = answers;
    return { children: rollout?.children ?? planned[0] ?? [], answers, latest, rollout };
  }

  /**
   * Writes the children, and then the status of a composite.
   *
   * @param given - what to write. Its member `observed` is undefined when the children must not be changed.
   * @throws the first failure of a child, after the status is written.
   */
  async #write(
    parent: KubernetesObject,
    context: ReconcileContext,
    { children, latest: { status }, rollout }: Decision,
    { observed, digest }: { observed: Inputs['observed'] | undefined; digest: Applying['inputs'] },
  ): Promise<void> {
    const { writer, decorator, parent: source } = this.#options;
    const write = { owner: parent, ownerResource: source.resource, context };
    const applying = { writer, write, hotLoops: this.#hotLoops, inputs: digest, decorator };
    const failure = await (observed && applyChildren(children, observed, applying))?.then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    const stated = { status, condition: rollout?.condition, failure, inputs: () => digest('') };
    await this.#status?.state(parent, context, stated);
    if (failure !== undefined) throw failure.error;
  }

  #selectorOf(parent: KubernetesObject): Selector | undefined {
    const { generateSelector, selector, name } = this.#options;
    if (generateSelector === true) {
      const { uid = '' } = parent.metadata;
      return [{ key: CONTROLLER_UID, operator: 'in', values: [uid] }];
    }
    const given = selector?.(parent);
    if (given === undefined) return undefined;
    const parsed = selectorFromObject(given);
    if (parsed.length > 0) return parsed;
    throw new OperatorError('the selector of a parent is empty, it would claim every object', {
      code: 'USER_CODE',
      layer: 'user-code',
      context: { controller: name },
    });
  }
}

/** Waits for all calls, so that none is still running when the next attempt begins. */
async function allOf<T>(calls: readonly Promise<T>[]): Promise<readonly T[]> {
  const ended = await Promise.allSettled(calls);
  return ended.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}

/** The smallest delay above 0 that an answer requests. */
function earliest(answers: readonly SyncAnswer[]): number | undefined {
  const delays = answers.map(({ resyncAfterMs = 0 }) => resyncAfterMs).filter((ms) => ms > 0);
  return delays.length === 0 ? undefined : Math.min(...delays);
}
