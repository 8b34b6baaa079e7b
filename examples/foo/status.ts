import {
  type DesiredStatus,
  isUndeclaredField,
  NoStatusSubresourceError,
  READY,
  type ReconcileContext,
} from 'chancery';
import type { Deployment } from 'chancery/kubernetes';
import { type Foo, foos } from './definition.ts';
import type { Problem } from './deployment.ts';

type Status = DesiredStatus<Foo>;

export function readiness(deployment: Deployment): Status {
  const availableReplicas = available([deployment]);
  const { replicas = 1 } = deployment.spec;
  const isReady = availableReplicas >= replicas;
  const status = isReady ? 'True' : 'False';
  const reason = isReady ? 'Synced' : 'WaitingForReplicas';
  const message = `${availableReplicas} of ${replicas} replicas are available`;
  return { availableReplicas, conditions: [{ type: READY, status, reason, message }] };
}

/** @param own - what the Foo has nevertheless. */
export function notReady(own: readonly Deployment[], { reason, message }: Problem): Status {
  return {
    availableReplicas: available(own),
    conditions: [{ type: READY, status: 'False', reason, message }],
  };
}

/**
 * Tells how a Foo is; true when that was news. The definitions of the original have room for the number
 * alone, and one of them has no status subresource: then the number is put where it can be.
 */
export async function report(
  { metadata, status: before }: Foo,
  status: Status,
  { setStatus, client }: ReconcileContext<Foo>,
): Promise<boolean> {
  try {
    return await setStatus(status);
  } catch (error) {
    const hasNoSubresource = error instanceof NoStatusSubresourceError;
    if (!hasNoSubresource && !isUndeclaredField(error)) throw error;
    const { availableReplicas } = status;
    if (before?.availableReplicas === availableReplicas) return false;
    const body = { metadata: { uid: metadata.uid }, status: { availableReplicas } };
    const options = hasNoSubresource ? {} : { subresource: 'status' };
    await client.patch(foos, metadata, { type: 'merge', body }, options);
    return true;
  }
}

function available(all: readonly Deployment[]): number {
  return all.reduce((sum, { status }) => sum + (status?.availableReplicas ?? 0), 0);
}
