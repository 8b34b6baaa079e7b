import type { Clock } from '../../core/clock.ts';
import { type Condition, findCondition, setCondition } from '../../model/condition.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { apiVersionOf, resourceName } from '../../model/resource.ts';
import { ApiError } from '../../model/status.ts';
import { type AddedField, addedFieldsOf, refusedFieldsIn } from '../object-shape/added-fields.ts';
import { conditionsOf, formerNames, managerOf, statusOf } from '../object-shape/condition-list.ts';
import { lacksMaps, mayHaveOpenMaps, withMapsOfOthers } from '../object-shape/maps-of-others.ts';
import type { DesiredStatus } from '../reconciler.ts';
import type { AppliedMemory } from './applied-memory.ts';
import { digestOf } from './applied-memory.ts';
import { readLive } from './guarded-writes.ts';
import { type StatusTarget, sendStatus } from './send-status.ts';

interface StatusWriterOptions extends StatusTarget {
  readonly clock: Clock;
  readonly memory: AppliedMemory;
  /**
   * The field manager of `client`. If omitted, conditions that an earlier process wrote are treated as
   * conditions of other writers.
   */
  readonly fieldManager?: string;
  /**
   * Called once when the managedFields in the answers of the server lack the information that the writer
   * needs.
   */
  readonly warn?: (message: string) => void;
}

type Fields = Readonly<Record<string, unknown>> & { readonly conditions?: readonly Condition[] };

type Omitted = ReadonlySet<AddedField>;

const NOTHING: Omitted = new Set();

type SetStatus = (desired: DesiredStatus<KubernetesObject>) => Promise<boolean>;

/** Returns the function that writes the status in one attempt: see `ReconcileContext.setStatus`. */
export function statusWriter(options: StatusWriterOptions): SetStatus {
  const { object, resource, clock, memory } = options;
  /** The newest known object, including the writes of this attempt. */
  let known = object;

  return async (desired) => {
    const write = new StatusWrite(options, desired);
    const before = known;
    const isSeen = !memory.isBehind(known, 'status');
    await write.learnEarlier(known);
    const expected = write.statusFor(known, memory.undeclared.of(resource, clock.monotonic()));
    if (isSeen && isSameStatus(statusOf(known), expected)) return false;
    if (memory.isApplied(resource, known, write.bodyOf(expected), 'status')) return false;
    const written = await sendStatus({ ...options, object: known }, (current) =>
      write.send(current, isSeen || current !== before),
    );
    if (written === undefined) return false;
    known = written.answer;
    memory.remember(resource, known, write.bodyOf(written.status), { part: 'status' });
    return !(isSeen && isSameStatus(statusOf(before), statusOf(known)));
  };
}

interface Written {
  readonly answer: KubernetesObject;
  /** The status that the apply contained. */
  readonly status: Fields;
}

/** A status that has to be written. */
class StatusWrite {
  readonly #options: StatusWriterOptions;
  readonly #desired: DesiredStatus<KubernetesObject>;
  readonly #types: ReadonlySet<string>;
  readonly #nowMs: number;

  constructor(options: StatusWriterOptions, desired: DesiredStatus<KubernetesObject>) {
    this.#options = options;
    this.#desired = desired;
    this.#types = new Set(desired.conditions?.map(({ type }) => type));
    this.#nowMs = options.clock.now();
    options.memory.conditions.states(this.#types);
  }

  /**
   * The status with which `current` is applied. If the list of conditions is atomic, the result includes the
   * conditions of other writers.
   */
  statusFor(current: KubernetesObject, omitted: Omitted): Fields {
    const { conditions, ...fields } = this.#desired;
    const { object, memory } = this.#options;
    const { generation } = object.metadata;
    const observed = generation === undefined ? {} : { observedGeneration: generation };
    const seen = omitted.has('condition.observedGeneration') ? {} : observed;
    const shown = conditionsOf(statusOf(current));
    const stated = conditions?.reduce<readonly Condition[]>((done, wanted) => {
      const known = findCondition(shown, wanted.type);
      const [condition] = setCondition(known ? [known] : [], { ...wanted, ...seen }, this.#nowMs);
      const others = done.filter(({ type }) => type !== wanted.type);
      return condition === undefined ? others : [...others, condition];
    }, []);
    const declared = omitted.has('condition.lastTransitionTime') ? stated?.map(untimed) : stated;
    const isStated = declared !== undefined || statusOf(current).conditions !== undefined;
    const isOneValue = memory.conditions.form === 'atomic' && isStated;
    const list = isOneValue ? memory.conditions.merged(current, declared ?? []) : declared;
    return {
      ...fields,
      ...(!omitted.has('observedGeneration') && observed),
      ...(list !== undefined && { conditions: list }),
    };
  }

  /** @param status - the status to apply; undefined for an apply that gives up every field of its manager. */
  bodyOf(status: Fields | undefined) {
    const { object, resource } = this.#options;
    const { name, namespace, uid } = object.metadata;
    return {
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      metadata: {
        name,
        ...(namespace !== undefined && { namespace }),
        ...(uid !== undefined && { uid }),
      },
      ...(status !== undefined && { status }),
    };
  }

  /**
   * If the list of conditions is atomic: finds out which conditions of `current` come from an earlier process
   * of this controller.
   */
  async learnEarlier(current: KubernetesObject): Promise<void> {
    const { object, memory, fieldManager } = this.#options;
    if (fieldManager === undefined || memory.conditions.form !== 'atomic') return;
    if (!memory.conditions.isUnknown(current, this.#types)) return;
    const live = await this.#live();
    memory.conditions.learnEarlier(object.metadata.uid ?? '', live, fieldManager);
  }

  /** @param isLatest - true if `known` contains all writes of this process to the object. */
  async send(known: KubernetesObject, isLatest: boolean): Promise<Written | undefined> {
    const { conditions } = this.#options.memory;
    const isHidden = this.#mayHide(known);
    const current = isHidden ? await this.#live() : known;
    if (current === undefined) return undefined;
    const isNewest = isLatest || isHidden;
    if (conditions.form === undefined && this.#othersIn(current).length > 0) {
      await this.#learnForm(current);
    }
    const { form } = conditions;
    await this.learnEarlier(current);
    if (form === 'atomic' && isNewest) {
      const status = this.statusFor(current, this.#undeclared());
      if (isSameStatus(statusOf(current), status)) return undefined;
    }
    const written = await this.#apply(current);
    if (conditions.form === undefined || conditions.form === (form ?? 'map')) {
      return { ...written, answer: await this.#giveUpFormer(written.answer) };
    }
    // The write was made for the other list type: the definition has changed, or this is the first write
    // ever.
    return this.send(withConditions(written.answer, this.#lost(current, written)), false);
  }

  /** True if a cache may have dropped data without which a write would lose fields of other writers. */
  #mayHide(known: KubernetesObject): boolean {
    if (this.#isOneValue() && statusOf(known).conditions === undefined) return true;
    return known.metadata.managedFields === undefined && this.#mayLoseMaps(known);
  }

  /**
   * True if the status has a map that the apply does not contain, or may have such a map that is not in the
   * cache yet.
   */
  #mayLoseMaps(current: KubernetesObject): boolean {
    const { fieldManager, resource, memory } = this.#options;
    if (fieldManager === undefined || !mayHaveOpenMaps(resource)) return false;
    if (memory.isBehind(current, 'status')) return true;
    return lacksMaps(resource, statusOf(current), this.statusFor(current, this.#undeclared()));
  }

  #live(): Promise<KubernetesObject | undefined> {
    const { client, resource, object } = this.#options;
    return readLive(client, resource, object);
  }

  /**
   * Asks the server which type the list of conditions has, before a write that could remove conditions of
   * other writers.
   */
  async #learnForm(current: KubernetesObject): Promise<void> {
    try {
      await this.#apply(current, { dryRun: true });
    } catch (error) {
      // For example, an admission webhook does not support dry runs.
      if (!(error instanceof ApiError) || error.status !== 400) throw error;
      this.#learn({ ...current, metadata: { ...current.metadata, managedFields: [] } }, undefined);
    }
  }

  /**
   * Writes the whole status. If the server refuses fields that only the toolkit adds, writes the status
   * without them.
   */
  async #apply(current: KubernetesObject, options: { readonly dryRun?: true } = {}) {
    const { client, resource, clock, memory, fieldManager = '' } = this.#options;
    let omitted = NOTHING;
    for (;;) {
      const status = this.statusFor(current, omitted);
      const sent = withMapsOfOthers(current, status, fieldManager);
      const body = this.#versioned(this.bodyOf(sent), current);
      const manager = this.#manager();
      try {
        // The apply is forced, because this reconciler decides its fields, regardless of who wrote them.
        const answer = await client.applyExisting<KubernetesObject>(resource, body, {
          subresource: 'status',
          force: true,
          ...options,
          ...(manager !== undefined && { fieldManager: manager }),
        });
        const written = addedFieldsOf(status);
        memory.undeclared.learn(resource, { omitted, written }, clock.monotonic());
        this.#learn(answer, manager);
        return { answer, status };
      } catch (error) {
        // The status keeps `conditions`, because the reconciler itself sets the list.
        const refused = refusedFieldsIn(error).filter((field) => field !== 'conditions');
        if (refused.every((field) => omitted.has(field))) throw error;
        omitted = new Set([...omitted, ...refused, ...this.#undeclared()]);
      }
    }
  }

  /** Adds the resourceVersion if the write could lose data that `current` lacks. */
  #versioned<B extends { readonly metadata: object }>(body: B, current: KubernetesObject): B {
    if (!this.#isOneValue() && !this.#mayLoseMaps(current)) return body;
    const { resourceVersion } = current.metadata;
    return { ...body, metadata: { ...body.metadata, resourceVersion } };
  }

  /** True if a write could replace the list of conditions as a whole. */
  #isOneValue(): boolean {
    const { form } = this.#options.memory.conditions;
    return form === 'atomic' || (form === undefined && this.#types.size > 0);
  }

  #manager(): string | undefined {
    const { fieldManager, memory } = this.#options;
    if (fieldManager === undefined || memory.conditions.form !== 'atomic') return fieldManager;
    return managerOf(fieldManager, this.#types);
  }

  /**
   * Applies again under each former name of the manager, so that the former managers give up the conditions
   * that they still own.
   */
  async #giveUpFormer(answer: KubernetesObject): Promise<KubernetesObject> {
    const { client, resource, memory, fieldManager } = this.#options;
    const used = this.#manager();
    if (fieldManager === undefined || used === undefined) return answer;
    const others = memory.conditions.form === 'map' ? this.#othersIn(answer) : [];
    let last = answer;
    for (const { manager, keeps } of formerNames(answer, { fieldManager, used, others })) {
      const body = this.bodyOf(keeps.length === 0 ? undefined : { conditions: keeps });
      const options = { subresource: 'status', force: true, fieldManager: manager };
      last = await client.applyExisting<KubernetesObject>(resource, body, options);
    }
    return last;
  }

  #learn(answer: KubernetesObject, manager: string | undefined): void {
    const { memory, resource, warn } = this.#options;
    if (memory.conditions.learn(answer, manager)) return;
    warn?.(
      `the API server does not show which conditions of ${resourceName(resource)} are whose: those of others are kept, and each write names the version that it was made from`,
    );
  }

  #othersIn(object: KubernetesObject): readonly Condition[] {
    return this.#options.memory.conditions.others(object, this.#types);
  }

  #lost(current: KubernetesObject, { answer }: Written): readonly Condition[] {
    const left = new Set(conditionsOf(statusOf(answer)).map(({ type }) => type));
    return this.#othersIn(current).filter(({ type }) => !left.has(type));
  }

  #undeclared(): Omitted {
    const { memory, resource, clock } = this.#options;
    return memory.undeclared.of(resource, clock.monotonic());
  }
}

function withConditions(object: KubernetesObject, more: readonly Condition[]): KubernetesObject {
  const status = { ...statusOf(object), conditions: [...conditionsOf(statusOf(object)), ...more] };
  return { ...object, status } as KubernetesObject;
}

function untimed({ lastTransitionTime: _, ...condition }: Condition): Condition {
  return condition as Condition;
}

/** Ignores the order of conditions, because the server decides it. */
function isSameStatus(before: Fields, wanted: Fields): boolean {
  return digestOf(byType(before)) === digestOf(byType(wanted));
}

function byType({ conditions = [], ...fields }: Fields): object {
  return { fields, conditions: Object.fromEntries(conditions.map((one) => [one.type, one])) };
}
