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
import { type AddedField, addedFieldsOf, refusedFieldsIn } from './undeclared-fields.ts';

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

type Omitted = ReadonlySet<AddedField>;

const NOTHING: Omitted = new Set();

type SetStatus = (desired: DesiredStatus<KubernetesObject>) => Promise<boolean>;

/** Returns the function that writes the status in one attempt: see `ReconcileContext.setStatus`. */
export function statusWriter(writer: StatusWriter): SetStatus {
  const { object, resource, clock, memory } = writer;
  const { generation } = object.metadata;
  /** Includes the writes of this attempt. */
  let known = object;

  return async (desired) => {
    const before = statusOf(known);
    const nowMs = clock.now();
    const statusWithout = (omitted: Omitted): Fields =>
      wholeStatus(desired, before, { generation, omitted, nowMs });
    const expected = statusWithout(memory.undeclared.of(resource, clock.monotonic()));
    const isSeen = !memory.isBehind(resource, known, 'status');
    if (isSeen && isSameStatus(before, expected)) return false;
    if (memory.isApplied(resource, known, bodyOf(writer, expected), 'status')) return false;
    try {
      // A change tries every field: the definition may have been upgraded.
      const { answer, body } = await write(writer, statusWithout);
      known = answer;
      memory.remember(resource, known, body, 'status');
    } catch (error) {
      if (isUidMismatch(error)) return false;
      if (isNotFound(error) && (await isGone(writer, error as ApiError))) return false;
      throw error;
    }
    return !(isSeen && isSameStatus(before, statusOf(known)));
  };
}

/** Writes the whole status, or all of it but the fields that only the toolkit adds and the server refuses. */
async function write(writer: StatusWriter, statusWithout: (omitted: Omitted) => Fields) {
  const { client, resource, clock, memory } = writer;
  const { undeclared } = memory;
  let omitted = NOTHING;
  for (;;) {
    const status = statusWithout(omitted);
    const body = bodyOf(writer, status);
    try {
      // Forced: this reconciler decides the fields that it states, whoever wrote them.
      const options = { subresource: 'status', force: true };
      const answer = await client.applyExisting<KubernetesObject>(resource, body, options);
      undeclared.learn(resource, { omitted, written: addedFieldsOf(status) }, clock.monotonic());
      return { answer, body };
    } catch (error) {
      const refused = refusedFieldsIn(error);
      if (refused.every((field) => omitted.has(field))) throw error;
      const earlier = undeclared.of(resource, clock.monotonic());
      omitted = new Set([...omitted, ...refused, ...earlier]);
    }
  }
}

async function isGone({ object, resource, client }: StatusWriter, error: ApiError) {
  const { name, namespace, uid } = object.metadata;
  // The API server gives the same answer for a missing object and for a missing status subresource.
  const live = await client.find(resource, { name, namespace });
  if (live === undefined || live.metadata.uid !== uid) return error.details.name === name;
  throw new NoStatusSubresourceError(resource, { cause: error });
}

function bodyOf({ object, resource }: StatusWriter, status: Fields) {
  const { name, namespace, uid } = object.metadata;
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
    },
    status,
  };
}

function statusOf(object: KubernetesObject): Fields {
  return (object as { readonly status?: Fields }).status ?? {};
}

interface Added {
  readonly generation: number | undefined;
  /** Fields that the definition does not have. */
  readonly omitted: Omitted;
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
