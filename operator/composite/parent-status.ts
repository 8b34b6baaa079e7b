import { digestOf } from '../controller/children/applied-memory.ts';
import { enginePartsOf } from '../controller/children/engine-parts.ts';
import type { HotLoops } from '../controller/children/hot-loops.ts';
import { isMap, type JsonMap } from '../controller/children/json-difference.ts';
import { StatusReplacer } from '../controller/children/replace-status.ts';
import { UndeclaredStatusError, WriteFightError } from '../controller/errors.ts';
import type { DesiredStatus, ReconcileContext } from '../controller/reconciler.ts';
import { type KubernetesObject, keyOf } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import { knownPart, type StatusFields } from '../model/status-fields.ts';
import type { CompositeEngineOptions, RollingPlan, SyncAnswer } from './engine-options.ts';
import { conditionsOf, isQuiet, publicMessage, statusOf, withFailure } from './failures.ts';
import { SYNCED } from './object-changes.ts';

/** Number of remembered parents whose definition does not declare all of their status. */
const MAX_OBJECTS = 1_000;

interface ParentStatusOptions
  extends Pick<CompositeEngineOptions, 'status' | 'failures' | 'statusFields'> {
  readonly parentResource: Resource;
}

/** What is stated about a parent after its children were managed. */
interface Stated {
  readonly status: SyncAnswer['status'];
  /** Of a rolling update. */
  readonly condition: RollingPlan['condition'] | undefined;
  /** The first failure of a child. */
  readonly failure: { readonly error: unknown } | undefined;
  /** Digest of what the function has decided from. */
  readonly inputs: () => string;
}

/** Writes what a function states about a parent, and how its sync failed. */
export class ParentStatus {
  readonly #options: ParentStatusOptions;
  readonly #hotLoops: HotLoops;
  readonly #replacer = new StatusReplacer();
  /** Fields of the last status of a parent that the server does not store. */
  readonly #missing = new Map<
    string,
    { readonly status: string; readonly paths: readonly string[] }
  >();
  /** The parent as the attempt has written it. */
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
    else if (stated.failure === undefined) await setFields(context, stated);
  }

  async #replace(
    parent: KubernetesObject,
    context: ReconcileContext,
    { status, condition, failure, inputs }: Stated,
  ): Promise<void> {
    const { parentResource, failures, statusFields: fields } = this.#options;
    const wanted = wholeStatus(parent, status ?? {}, condition, fields);
    const name = nameOf(parent);
    if (failure === undefined && this.#hotLoops.isLooping(name)) {
      const nowMs = context.clock.monotonic();
      const next = { stated: { status: wanted }, observed: parent, inputs: inputs(), nowMs };
      this.#hotLoops.requireSteady(name, next);
    }
    const known = this.#missingOf(parent, wanted).filter((path) => isAnswered(path, status ?? {}));
    const error = failure?.error ?? undeclared(parentResource, known);
    const fight = enginePartsOf(context)?.fight();
    const told = error ?? (fight && new WriteFightError(fight));
    const isStated = told !== undefined && failures?.condition === true && !isQuiet(told);
    const stamp = { fields, nowMs: context.clock.now() };
    const stating = isStated ? withFailure(wanted, parent, told, stamp) : wanted;
    const isOver =
      error === undefined && fight?.isPast === true && this.#isAsStated(parent, wanted);
    const whole = isOver ? wanted : stating;
    if (this.#replacer.differs(parent, whole)) {
      const outcome = await this.#write(parent, context, { wanted, whole, inputs });
      const missing = outcome.filter((path) => isAnswered(path, status ?? {}));
      if (failure === undefined && missing.length > 0) throw undeclared(parentResource, missing);
    }
    if (failure === undefined && error !== undefined) throw error;
  }

  /** True when nothing has to be changed back: the fight of the attempt before is over. */
  #isAsStated(parent: KubernetesObject, wanted: JsonMap): boolean {
    const known = conditionsOf(statusOf(parent)).filter(({ type }) => type === SYNCED);
    if (known.length === 0) return false;
    const others = conditionsOf(wanted).filter(({ type }) => type !== SYNCED);
    return !this.#replacer.differs(parent, { ...wanted, conditions: [...others, ...known] });
  }

  async #write(
    parent: KubernetesObject,
    context: ReconcileContext,
    { wanted, whole, inputs }: { wanted: JsonMap; whole: JsonMap; inputs: () => string },
  ): Promise<readonly string[]> {
    const { uid = '' } = parent.metadata;
    const name = nameOf(parent);
    const stated = { status: wanted };
    const nowMs = context.clock.monotonic();
    const next = { stated, observed: parent, inputs: inputs(), nowMs };
    this.#hotLoops.requireProgress(name, next);
    const { parentResource } = this.#options;
    const outcome = await this.#replacer.replace(context.client, parentResource, parent, whole);
    const { written, missing } = outcome;
    this.#missing.delete(uid);
    if (missing.length > 0) this.#missing.set(uid, { status: digestOf(wanted), paths: missing });
    const [oldest] = this.#missing.keys();
    if (this.#missing.size > MAX_OBJECTS && oldest !== undefined) this.#missing.delete(oldest);
    if (written === undefined) return missing;
    this.#written.set(context, written);
    const isNoOp = written.metadata.resourceVersion === parent.metadata.resourceVersion;
    if (!isNoOp) this.#hotLoops.wrote(name, next, written);
    return missing;
  }

  #missingOf({ metadata: { uid = '' } }: KubernetesObject, wanted: JsonMap): readonly string[] {
    const known = this.#missing.get(uid);
    return known?.status === digestOf(wanted) ? known.paths : [];
  }

  /** States a failure by an Event, and by a condition where the definition has conditions. */
  async failed(parent: KubernetesObject, error: unknown, context: ReconcileContext): Promise<void> {
    const { failures, parentResource, statusFields: fields } = this.#options;
    if (failures === undefined || isQuiet(error)) return;
    context.event('Warning', 'SyncError', publicMessage(error));
    if (!failures.condition || this.#options.status !== 'replace') return;
    const known = this.#written.get(context) ?? parent;
    const stamp = { fields, nowMs: context.clock.now() };
    const status = withFailure(statusOf(known), known, error, stamp);
    await this.#replacer.replace(context.client, parentResource, known, status);
  }
}

function nameOf(parent: KubernetesObject): string {
  return `the status of ${keyOf(parent)}`;
}

/** The status as it is stored: with `observedGeneration`, and the condition of a rolling update. */
function wholeStatus(
  { metadata: { generation } }: KubernetesObject,
  stated: JsonMap,
  condition: Stated['condition'],
  fields: StatusFields | undefined,
): JsonMap {
  const isObserved = generation !== undefined && fields?.observedGeneration !== false;
  const status = isObserved ? { ...stated, observedGeneration: generation } : stated;
  if (condition === undefined) return status;
  const declared = fields === undefined ? condition : knownPart(condition, fields);
  if (fields !== undefined && fields.conditions === undefined) return status;
  const conditions: readonly unknown[] = Array.isArray(stated.conditions) ? stated.conditions : [];
  const at = conditions.findIndex((each) => isMap(each) && each.type === condition.type);
  const all = at < 0 ? [...conditions, declared] : conditions.with(at, declared);
  return { ...status, conditions: all };
}

/**
 * True for a path of the status that the function has answered. The others are fields that the engine writes by itself:
 * where the definition does not have them, nobody misses them.
 */
function isAnswered(path: string, answered: JsonMap): boolean {
  const [, field = ''] = /^status\.(\w+)/.exec(path) ?? [];
  const isOwn = field === 'observedGeneration' || field === 'conditions';
  return !isOwn || answered[field] !== undefined;
}

/** Fields that a function states, by server-side apply. */
async function setFields(context: ReconcileContext, { status, condition }: Stated): Promise<void> {
  if (condition === undefined) {
    if (status !== undefined) await context.setStatus((status ?? {}) as DesiredStatus<never>);
    return;
  }
  const others = conditionsOf(status ?? {}).filter(({ type }) => type !== condition.type);
  const conditions = [...others, condition];
  await context.setStatus({ ...status, conditions } as unknown as DesiredStatus<never>);
}

function undeclared(
  resource: Resource,
  paths: readonly string[],
): UndeclaredStatusError | undefined {
  return paths.length === 0 ? undefined : new UndeclaredStatusError(resource, paths);
}
