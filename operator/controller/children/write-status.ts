import type { Client } from '../../client/client.ts';
import type { Clock } from '../../core/clock.ts';
import { type Condition, findCondition, setCondition } from '../../model/condition.ts';
import { isNotFound } from '../../model/not-found.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { isUidMismatch } from '../../model/refusal.ts';
import { apiVersionOf, type Resource } from '../../model/resource.ts';
import type { ApiError } from '../../model/status.ts';
import { NoStatusSubresourceError } from '../errors.ts';
import type { DesiredStatus } from '../reconciler.ts';
import type { AppliedMemory } from './applied-memory.ts';
import { digestOf } from './applied-memory.ts';
import type { AddedField } from './undeclared-fields.ts';

interface StatusWriter {
  /** The reconciled object, as the attempt received it. */
  readonly object: KubernetesObject;
  readonly resource: Resource;
  readonly client: Client;
  readonly clock: Clock;
  readonly memory: AppliedMemory;
}

type Fields = Readonly<Record<string, unknown>> & {
  readonly conditions?: readonly Condition[];
};

type SetStatus = (desired: DesiredStatus<KubernetesObject>) => Promise<boolean>;

/** Returns the function that writes the status in one attempt: see `ReconcileContext.setStatus`. */
export function statusWriter({ object, resource, client, clock, memory }: StatusWriter): SetStatus {
  const { name, namespace, uid, generation } = object.metadata;
  /** Includes the writes of this attempt. */
  let known = object;

  async function isGone(error: ApiError): Promise<boolean> {
    // The API server gives the same answer for a missing object and for a missing status subresource.
    const live = await client.find(resource, { name, namespace });
    if (live === undefined || live.metadata.uid !== uid) return error.details.name === name;
    throw new NoStatusSubresourceError(resource, { cause: error });
  }

  async function setStatus(desired: DesiredStatus<KubernetesObject>): Promise<boolean> {
    const before = statusOf(known);
    const omitted = memory.undeclared.of(resource, clock.monotonic());
    const status = wholeStatus(desired, before, { generation, omitted, nowMs: clock.now() });
    const isSeen = !memory.isBehind(resource, known, 'status');
    if (isSeen && isSameStatus(before, status)) return false;
    const body = {
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      metadata: {
        name,
        ...(namespace !== undefined && { namespace }),
        ...(uid !== undefined && { uid }),
      },
      status,
    };
    if (memory.isApplied(resource, known, body, 'status')) return false;
    try {
      // Forced: this reconciler decides the fields that it states, whoever wrote them.
      const options = { subresource: 'status', force: true };
      known = await client.applyExisting<KubernetesObject>(resource, body, options);
    } catch (error) {
      if (isUidMismatch(error)) return false;
      if (isNotFound(error) && (await isGone(error as ApiError))) return false;
      // At most once for each field that is added: the rest of the status is worth writing without it.
      if (memory.undeclared.learn(error, resource, clock.monotonic())) return setStatus(desired);
      throw error;
    }
    memory.remember(resource, known, body, 'status');
    return !(isSeen && isSameStatus(before, statusOf(known)));
  }

  return setStatus;
}

function statusOf(object: KubernetesObject): Fields {
  return (object as { readonly status?: Fields }).status ?? {};
}

interface Added {
  readonly generation: number | undefined;
  /** Fields that the definition does not have. */
  readonly omitted: ReadonlySet<AddedField>;
  readonly nowMs: number;
}

function wholeStatus(
  { conditions, ...fields }: DesiredStatus<KubernetesObject>,
  before: Fields,
  { generation, omitted, nowMs }: Added,
): Fields {
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  const seen = omitted.has('condition.observedGeneration') ? {} : observed;
  const stated = conditions?.reduce<readonly Condition[]>((done, wanted) => {
    const known = findCondition(before.conditions, wanted.type);
    const [condition] = setCondition(known ? [known] : [], { ...wanted, ...seen }, nowMs);
    const others = done.filter(({ type }) => type !== wanted.type);
    return condition === undefined ? others : [...others, condition];
  }, []);
  const declared = omitted.has('condition.lastTransitionTime') ? stated?.map(untimed) : stated;
  return {
    ...fields,
    ...(!omitted.has('observedGeneration') && observed),
    ...(declared !== undefined && { conditions: declared }),
  };
}

function untimed({ lastTransitionTime: _, ...condition }: Condition): Condition {
  return condition as Condition;
}

/** Ignores the order of conditions, which the server decides. */
function isSameStatus(before: Fields, wanted: Fields): boolean {
  return digestOf(byType(before)) === digestOf(byType(wanted));
}

function byType({ conditions = [], ...fields }: Fields): object {
  return { fields, conditions: Object.fromEntries(conditions.map((one) => [one.type, one])) };
}
