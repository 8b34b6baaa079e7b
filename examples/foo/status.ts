import {
  ApiError,
  type Client,
  type DesiredCondition,
  findCondition,
  isNotFound,
  keyOf,
  READY,
  type ReconcileContext,
} from 'chancery';
import { type Foo, foos } from './definition.ts';

/** Tells how a Foo is. Resolves to false when that had been told before, and nothing was written. */
export type Report = (
  foo: Foo,
  status: { readonly availableReplicas: number; readonly ready: DesiredCondition },
  context: ReconcileContext<Foo>,
) => Promise<boolean>;

/**
 * A report that says as much as the installed definition has room for. This example's has conditions, the
 * two of the original have the number alone, and one of these no status subresource: which of them is
 * there is seen by what has become of a status that was written whole.
 */
export function statusReport(): Report {
  let takesConditions = true;
  return async (foo, { availableReplicas, ready }, { setStatus, store, client }) => {
    if (isTold(foo, availableReplicas, takesConditions ? ready : undefined)) return false;
    try {
      await setStatus({ availableReplicas, conditions: [ready] });
    } catch (error) {
      if (!hasNoRoom(error)) throw error;
    }
    const after = store(foos).get(keyOf(foo));
    if (after === undefined) return true;
    takesConditions = findCondition(after.status?.conditions, READY) !== undefined;
    if (!takesConditions) await writeNumber(foo, availableReplicas, client);
    return true;
  };
}

function isTold(
  { metadata, status }: Foo,
  availableReplicas: number,
  ready: DesiredCondition | undefined,
): boolean {
  if (status?.availableReplicas !== availableReplicas) return false;
  if (ready === undefined) return true;
  const told = findCondition(status.conditions, READY);
  return told?.observedGeneration === metadata.generation && isSame(told, ready);
}

/** True when `told` says what `wanted` does, whenever that was. */
export function isSame(told: DesiredCondition | undefined, wanted: DesiredCondition): boolean {
  return (
    told?.status === wanted.status &&
    told.reason === wanted.reason &&
    told.message === wanted.message
  );
}

/** No such subresource, or no such field in the schema: server-side apply takes all or nothing. */
function hasNoRoom(error: unknown): boolean {
  if (isNotFound(error)) return true;
  return error instanceof ApiError && error.message.includes('field not declared in schema');
}

async function writeNumber(foo: Foo, availableReplicas: number, client: Client): Promise<void> {
  const { metadata } = foo;
  const body = { metadata: { uid: metadata.uid }, status: { availableReplicas } };
  try {
    await client.patch(foos, metadata, { type: 'merge', body }, { subresource: 'status' });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    await client.patch(foos, metadata, { type: 'merge', body });
  }
}
