import type { Client } from '../client/client.ts';
import type { Clock } from '../core/clock.ts';
import { type Condition, findCondition, setCondition } from '../model/condition.ts';
import { isUidMismatch } from '../model/conflict.ts';
import type { KubernetesObject } from '../model/object.ts';
import { apiVersionOf, type Resource } from '../model/resource.ts';
import { ApiError, isNotFound } from '../model/status.ts';
import type { AppliedMemory } from './applied-memory.ts';
import type { DesiredStatus } from './reconciler.ts';
import { digestOf } from './shown-fields.ts';

export interface StatusWriter {
  /** The reconciled object, as the attempt was given it. */
  readonly object: KubernetesObject;
  readonly resource: Resource;
  readonly client: Client;
  readonly clock: Clock;
  readonly memory: AppliedMemory;
}

type Fields = Readonly<Record<string, unknown>> & {
  readonly conditions?: readonly Condition[];
};

/** Writes the status where it differs: see `ReconcileContext.setStatus`. */
export async function writeStatus(
  { object, resource, client, clock, memory }: StatusWriter,
  desired: DesiredStatus<KubernetesObject>,
): Promise<void> {
  const { name, namespace, uid, generation } = object.metadata;
  const before = (object as { readonly status?: Fields }).status ?? {};
  const status = wholeStatus(desired, before, generation, clock.now());
  if (isSameStatus(before, status)) return;
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
  if (memory.isApplied(resource, object, body, 'status')) return;
  try {
    // Whatever else has written what we state: this reconciler is the one that knows.
    const options = { subresource: 'status', force: true };
    memory.remember(resource, await client.applyExisting(resource, body, options), body, 'status');
  } catch (error) {
    if (!isObjectGone(error, name)) throw error;
  }
}

function wholeStatus(
  { conditions, ...fields }: DesiredStatus<KubernetesObject>,
  before: Fields,
  generation: number | undefined,
  nowMs: number,
): Fields {
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  const stated = conditions?.reduce<readonly Condition[]>((done, wanted) => {
    const known = findCondition(before.conditions, wanted.type);
    const [condition] = setCondition(known ? [known] : [], { ...wanted, ...observed }, nowMs);
    const others = done.filter(({ type }) => type !== wanted.type);
    return condition === undefined ? others : [...others, condition];
  }, []);
  return { ...fields, ...observed, ...(stated !== undefined && { conditions: stated }) };
}

/** The order of conditions is the server's. */
function isSameStatus(before: Fields, wanted: Fields): boolean {
  return digestOf(byType(before)) === digestOf(byType(wanted));
}

function byType({ conditions = [], ...fields }: Fields): object {
  return { fields, conditions: Object.fromEntries(conditions.map((one) => [one.type, one])) };
}

/** A missing status subresource is 404 as well, and does not name the object. */
function isObjectGone(error: unknown, name: string): boolean {
  if (isUidMismatch(error)) return true;
  return isNotFound(error) && error instanceof ApiError && error.details.name === name;
}
