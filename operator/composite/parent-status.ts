import { enginePartsOf } from '../controller/children/engine-parts.ts';
import type { HotLoops } from '../controller/children/hot-loops.ts';
import { type StatusOutcome, StatusReplacer } from '../controller/children/replace-status.ts';
import { UndeclaredStatusError, WriteFightError } from '../controller/errors.ts';
import {
  type AddedField,
  refusedFieldsIn,
  UndeclaredFields,
} from '../controller/object-shape/added-fields.ts';
import { conditionsOf, statusOf } from '../controller/object-shape/condition-list.ts';
import type { DesiredStatus, ReconcileContext } from '../controller/reconciler.ts';
import { isMapping, type Mapping } from '../core/mapping.ts';
import { type KubernetesObject, keyOf } from '../model/object.ts';
import { type Resource, resourceName } from '../model/resource.ts';
import { knownPart, type StatusFields } from '../model/status-fields.ts';
import type { CompositeEngineOptions, RollingPlan, SyncAnswer } from './engine-options.ts';
import { failureType, isQuiet, withFailure } from './failures.ts';

interface ParentStatusOptions
  extends Pick<CompositeEngineOptions, 'status' | 'failures' | 'statusFields'> {
  readonly parentResource: Resource;
}

/** What to write into the status of a parent after its children were handled. */
interface Stated {
  readonly status: SyncAnswer['status'];
  /** The condition of a rolling update. */
  readonly condition: RollingPlan['condition'] | undefined;
  /** The first failure of a child. */
  readonly failure: { readonly error: unknown } | undefined;
  /** Returns a digest of the inputs of the function. */
  readonly inputs: () => string;
}

/** Writes the status that a function returns for a parent, and the failures of the parent's sync. */
export class ParentStatus {
  readonly #options: ParentStatusOptions;
  readonly #hotLoops: HotLoops;
  readonly #replacer = new StatusReplacer();
  readonly #undeclared = new UndeclaredFields();
  /** The parent after the writes of the attempt. */
  readonly #written = new WeakMap<ReconcileContext, KubernetesObject>();

  constructor(options: ParentStatusOptions, hotLoops: HotLoops) {
    this.#options = options;
    this.#hotLoops = hotLoops;
  }

  /**
   * @throws UndeclaredStatusError when the server does not store all of the status.
   * @throws HotLoopError when the statuses of the function alternate.
   */
  async state(parent: KubernetesObject, context: ReconcileContext, stated: Stated): Promise<void> {
    if (this.#options.status === 'replace') await this.#replace(parent, context, stated);
    else if (stated.failure === undefined) await this.#setFields(context, stated);
  }

  /** Writes the fields that a function returns, by server-side apply. */
  async #setFields(
    context: ReconcileContext,
    { status, condition }: Pick<Stated, 'status' | 'condition'>,
  ): Promise<void> {
    const { parentResource } = this.#options;
    const undeclared = this.#undeclared.of(parentResource, context.clock.monotonic());
    if (condition === undefined || undeclared.has('conditions')) {
      if (status !== undefined) await context.setStatus((status ?? {}) as DesiredStatus<never>);
      return;
    }
    const others = conditionsOf(status ?? {}).filter(({ type }) => type !== condition.type);
    const conditions = [...others, condition];
    try {
      await context.setStatus({ ...status, conditions } as unknown as DesiredStatus<never>);
    } catch (error) {
      const isOurs = others.length === 0 && refusedFieldsIn(error).includes('conditions');
      if (!isOurs) throw error;
      this.#omit(['conditions'], context);
      await this.#setFields(context, { status, condition });
    }
  }

  /** If the definition does not declare fields that only the engine adds, omits them for an hour. */
  #omit(fields: readonly AddedField[], { clock, log }: ReconcileContext): void {
    const { parentResource } = this.#options;
    const omitted = new Set(fields);
    this.#undeclared.learn(parentResource, { omitted, written: [] }, clock.monotonic());
    const facts = { definition: resourceName(parentResource), fields };
    log.warn(
      facts,
      'the definition does not have a field of the status that is added to each answer',
    );
  }

  async #replace(
    parent: KubernetesObject,
    context: ReconcileContext,
    answer: Stated,
  ): Promise<void> {
    const { status, condition, failure, inputs } = answer;
    const { parentResource, failures } = this.#options;
    const fields = this.#fields(context);
    const wanted = wholeStatus(parent, status ?? {}, condition, fields);
    const name = `the status of ${keyOf(parent)}`;
    const nowMs = context.clock.monotonic();
    const next = { stated: { status: wanted }, observed: parent, inputs, nowMs };
    if (failure === undefined) this.#hotLoops.requireSteady(name, next);
    const known = this.#replacer
      .missingOf(parent, wanted)
      .filter((path) => isAnswered(path, status ?? {}));
    const error = failure?.error ?? undeclared(parentResource, known);
    const fight = enginePartsOf(context)?.fight();
    const reported = error ?? (fight && new WriteFightError(fight));
    const isStated = reported !== undefined && failures?.condition === true && !isQuiet(reported);
    const stamp = { fields, nowMs: context.clock.now() };
    const stating = isStated ? withFailure(wanted, parent, reported, stamp) : wanted;
    const isOver =
      error === undefined && fight?.isPast === true && this.#isAsStated(parent, wanted);
    const whole = isOver ? wanted : stating;
    if (this.#replacer.differs(parent, whole)) {
      this.#hotLoops.requireProgress(name, next);
      const { client } = context;
      let outcome: StatusOutcome;
      try {
        outcome = await this.#replacer.replace(client, parentResource, parent, whole, wanted);
      } catch (refusal) {
        const isRefused = refusedFieldsIn(refusal).includes('observedGeneration');
        const isOurs = isRefused && fields?.observedGeneration !== false;
        if (!isOurs || status?.observedGeneration !== undefined) throw refusal;
        this.#omit(['observedGeneration'], context);
        return this.#replace(parent, context, answer);
      }
      const { written } = outcome;
      if (written !== undefined) {
        this.#written.set(context, written);
        this.#hotLoops.wrote(name, next, written);
      }
      const missing = outcome.missing.filter((path) => isAnswered(path, status ?? {}));
      if (failure === undefined && missing.length > 0) throw undeclared(parentResource, missing);
    }
    if (failure === undefined && error !== undefined) throw error;
  }

  /**
   * True when the status has the condition that reports a failure, and no other field has to be changed back.
   * The conflict with another writer that the previous attempt found is then over.
   */
  #isAsStated(parent: KubernetesObject, wanted: Mapping): boolean {
    const known = conditionsOf(statusOf(parent)).filter(({ type }) => type === failureType());
    if (known.length === 0) return false;
    const others = conditionsOf(wanted).filter(({ type }) => type !== failureType());
    return !this.#replacer.differs(parent, { ...wanted, conditions: [...others, ...known] });
  }

  /** The fields that the engine may add; undefined for all fields, when the definition is unknown. */
  #fields({ clock }: ReconcileContext): StatusFields | undefined {
    const { parentResource, statusFields } = this.#options;
    const omitted = this.#undeclared.of(parentResource, clock.monotonic());
    if (!omitted.has('observedGeneration')) return statusFields;
    return { conditions: 'any', ...statusFields, observedGeneration: false };
  }

  /** Writes a failure into the status, as a condition. */
  async failed(parent: KubernetesObject, error: unknown, context: ReconcileContext): Promise<void> {
    const { parentResource, status: how } = this.#options;
    if (how !== 'replace') return;
    const fields = this.#fields(context);
    const known = this.#written.get(context) ?? parent;
    const stamp = { fields, nowMs: context.clock.now() };
    const status = withFailure(statusOf(known), known, error, stamp);
    await this.#replacer.replace(context.client, parentResource, known, status);
  }
}

/** The status to store, with `observedGeneration` and the condition of a rolling update. */
function wholeStatus(
  { metadata: { generation } }: KubernetesObject,
  stated: Mapping,
  condition: Stated['condition'],
  fields: StatusFields | undefined,
): Mapping {
  const isObserved = generation !== undefined && fields?.observedGeneration !== false;
  const status = isObserved ? { ...stated, observedGeneration: generation } : stated;
  if (condition === undefined) return status;
  const declared = fields === undefined ? condition : knownPart(condition, fields);
  if (fields !== undefined && fields.conditions === undefined) return status;
  const conditions: readonly unknown[] = Array.isArray(stated.conditions) ? stated.conditions : [];
  const at = conditions.findIndex((each) => isMapping(each) && each.type === condition.type);
  const all = at < 0 ? [...conditions, declared] : conditions.with(at, declared);
  return { ...status, conditions: all };
}

/**
 * True for a status path that is in the function's own answer. Other paths are fields that the engine adds;
 * it is no error if the definition does not declare them.
 */
function isAnswered(path: string, answered: Mapping): boolean {
  const [, field = ''] = /^status\.(\w+)/.exec(path) ?? [];
  const isOwn = field === 'observedGeneration' || field === 'conditions';
  return !isOwn || answered[field] !== undefined;
}

function undeclared(
  resource: Resource,
  paths: readonly string[],
): UndeclaredStatusError | undefined {
  return paths.length === 0 ? undefined : new UndeclaredStatusError(resource, paths);
}
