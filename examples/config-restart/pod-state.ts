import type { Pod } from 'chancery/kubernetes';

/** True for a Pod that will not run again by itself: nothing of it can be restarted. */
export function isFinished({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

export function isTerminating({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined;
}

export function isReady({ status }: Pod): boolean {
  return (status?.conditions ?? []).some(
    (condition) => condition.type === 'Ready' && condition.status === 'True',
  );
}
