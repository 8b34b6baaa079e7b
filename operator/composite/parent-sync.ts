import { CONTROLLER_UID } from '../controller/children/existing-child.ts';
import { HotLoops } from '../controller/children/hot-loops.ts';
import type { ReconcileContext } from '../controller/reconciler.ts';
import { isLostRace } from '../controller/run/failure.ts';
import { OperatorError } from '../core/errors.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import { type Selector, selectorFromObject } from '../model/selector.ts';
import { adoptOrphans } from './adopt-orphans.ts';
import { applyChildren, byIdentity, type ObservedChild } from './apply-children.ts';
import { decisionInputs } from './decision-inputs.ts';
import type {
  AnsweredRevision,
  CompositeEngineOptions,
  ParentRevision,
  PlannedChild,
  RelatedObjects,
  RollingPlan,
  SyncAnswer,
} from './engine-options.ts';
import { ParentStatus } from './parent-status.ts';
import { planChildren } from './plan-children.ts';
import type { SeenVersions } from './seen-versions.ts';

/** What is due for a parent. */
export interface Phase {
  readonly finalizing: boolean;
  /** False: its children are left alone, because the garbage collector deals with them. */
  readonly managesChildren: boolean;
  /**
   * Called when all revisions have answered, and their state is stored, before any child is touched.
   *
   * @param finalized - all of them say that nothing is left to do.
   * @returns whether the children are managed.
   */
  readonly decided?: (finalized: boolean) => Promise<boolean>;
}

/** What is known when a parent was brought to its desired state. */
export interface Brought {
  readonly finalized: boolean;
  /** Milliseconds until the function wants to be called again, at the latest. */
  readonly resyncAfterMs: number | undefined;
}

/** The input of the function: the same for every revision of a parent. */
interface Inputs {
  readonly own: ReadonlyMap<string, readonly KubernetesObject[]>;
  readonly observed: ReadonlyMap<string, ObservedChild>;
  readonly related: ReadonlyMap<string, RelatedObjects>;
}

interface Decision {
  readonly children: readonly PlannedChild[];
  readonly answers: readonly SyncAnswer[];
  readonly rollout: RollingPlan | undefined;
}

type ParentSyncOptions = Omit<CompositeEngineOptions, 'controller' | 'parent' | 'finalizer'> & {
  readonly parentResource: Resource;
  /** Told what each call sees. */
  readonly seen?: SeenVersions;
};

/** Brings the children and the status of one parent to the answer of the function. */
export class ParentSync {
  readonly #options: ParentSyncOptions;
  readonly #hotLoops = new HotLoops();
  readonly #status: ParentStatus;

  constructor(options: ParentSyncOptions) {
    this.#options = options;
    this.#status = new ParentStatus(options, this.#hotLoops);
  }

  /**
   * Undefined when the parent is gone or being deleted and nothing was done, see `adoptOrphans`.
   *
   * @throws the first failure of a child, or what else keeps the parent from its desired state.
   */
  async bring(
    parent: KubernetesObject,
    context: ReconcileContext,
    phase: Phase,
  ): Promise<Brought | undefined> {
    const { children: types, parentResource, related } = this.#options;
    const selector = this.#selectorOf(parent);
    const claims = { parent, parentResource, sources: types, selector, context };
    const own = await adoptOrphans(claims);
    if (own === undefined) return undefined;
    this.#options.seen?.note(parent, [...own.values()].flat());
    const inputs = {
      own,
      observed: byIdentity(
        types.map(({ resource }) => resource),
        own,
      ),
      related: (await related?.of(parent, context)) ?? new Map(),
    };
    const decision = await this.#decide(parent, context, phase, inputs, selector);
    if (phase.managesChildren) await decision.rollout?.store(context);
    const finalized = decision.answers.every((answer) => answer.finalized === true);
    const manages = (await phase.decided?.(finalized)) ?? phase.managesChildren;
    const failure = manages
      ? await this.#applyChildren(parent, context, decision, inputs)
      : undefined;
    await this.#stateResult(parent, context, decision, inputs, failure);
    if (failure !== undefined) throw failure.error;
    return { finalized, resyncAfterMs: earliest(decision.answers) };
  }

  /** Tells people about a failure. Never throws. */
  async failed(parent: KubernetesObject, error: unknown, context: ReconcileContext): Promise<void> {
    if (context.signal.aborted || isLostRace(error)) return;
    try {
      await this.#options.failed?.(parent, error, context);
      await this.#status.failed(parent, error, context);
    } catch (err) {
      context.log.warn({ err }, 'a failure could not be stated on its object');
    }
  }

  /** Calls the function for each revision, and makes a plan of the answers. Writes nothing. */
  async #decide(
    parent: KubernetesObject,
    context: ReconcileContext,
    { finalizing, managesChildren }: Phase,
    { own, observed, related }: Inputs,
    selector: Selector | undefined,
  ): Promise<Decision> {
    const { sync, revisions, children: types, generateSelector } = this.#options;
    const { parentResource } = this.#options;
    const live: readonly ParentRevision[] =
      revisions !== undefined && managesChildren
        ? await revisions.read(parent, context)
        : [{ name: '', isLatest: true, parent }];
    const calls = live.map((revision) =>
      Promise.resolve().then(() =>
        sync({
          parent: revision.parent,
          children: own,
          related,
          finalizing,
          revision: revision.name,
          context,
        }),
      ),
    );
    const answers = await allOf(calls);
    for (const { resyncAfterMs } of answers) requireDelay(resyncAfterMs);
    const rules = { parent, parentResource, types, generateSelector, selector };
    const answered: AnsweredRevision[] = [];
    for (const [at, revision] of live.entries()) {
      const planned = await planChildren(answers[at]?.children ?? [], rules);
      answered.push({ revision, children: planned });
    }
    const latest = answered.find(({ revision }) => revision.isLatest);
    if (revisions === undefined || !managesChildren) {
      return { children: latest?.children ?? [], answers, rollout: undefined };
    }
    const objects = new Map([...observed].map(([identity, { object }]) => [identity, object]));
    const rollout = await revisions.plan(answered, objects, parent, context);
    return { children: rollout.children, answers: latestFirst(live, answers), rollout };
  }

  async #applyChildren(
    parent: KubernetesObject,
    context: ReconcileContext,
    { children }: Decision,
    { observed, related }: Inputs,
  ): Promise<{ readonly error: unknown } | undefined> {
    const { writer, parentResource } = this.#options;
    const write = { owner: parent, ownerResource: parentResource, context };
    const inputs = decisionInputs(parent, observed, related);
    try {
      await applyChildren(children, observed, { writer, write, hotLoops: this.#hotLoops, inputs });
      return undefined;
    } catch (error) {
      return { error };
    }
  }

  async #stateResult(
    parent: KubernetesObject,
    context: ReconcileContext,
    { answers: [answer], rollout }: Decision,
    { observed, related }: Inputs,
    failure: { readonly error: unknown } | undefined,
  ): Promise<void> {
    const inputsOf = decisionInputs(parent, observed, related);
    const inputs = (): string => inputsOf('');
    const stated = { status: answer?.status, condition: rollout?.condition, failure, inputs };
    await this.#status.state(parent, context, stated);
  }

  #selectorOf(parent: KubernetesObject): Selector | undefined {
    const { generateSelector, selector, name } = this.#options;
    if (generateSelector) {
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

/** Waits for all, so that no call is still running when the next attempt begins. */
async function allOf<T>(calls: readonly Promise<T>[]): Promise<readonly T[]> {
  const ended = await Promise.allSettled(calls);
  return ended.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}

function latestFirst(
  revisions: readonly ParentRevision[],
  answers: readonly SyncAnswer[],
): readonly SyncAnswer[] {
  const isLatest = (at: number): boolean => revisions[at]?.isLatest === true;
  const latest = answers.filter((_answer, at) => isLatest(at));
  return [...latest, ...answers.filter((_answer, at) => !isLatest(at))];
}

/** The smallest delay above 0 that an answer asks for. */
function earliest(answers: readonly SyncAnswer[]): number | undefined {
  const delays = answers.map(({ resyncAfterMs = 0 }) => resyncAfterMs).filter((ms) => ms > 0);
  return delays.length === 0 ? undefined : Math.min(...delays);
}

function requireDelay(ms: number | undefined): void {
  if (ms === undefined || ms >= 0) return;
  throw new OperatorError('a function asks to be called again after a time below 0', {
    code: 'USER_CODE',
    layer: 'user-code',
    context: { resyncAfterMs: ms },
  });
}
