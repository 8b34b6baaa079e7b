import type { KubernetesObject } from 'chancery';
import type { Memory } from './memory.ts';
import type { Pass } from './pass.ts';

interface Complaint {
  readonly regarding: KubernetesObject;
  readonly reason: string;
  readonly note: string;
}

/** Tells people, by Warning Events and once, which watchers are refused or contradict each other. */
export function complain(
  { key, configMap, watchers, context }: Pick<Pass, 'key' | 'configMap' | 'watchers' | 'context'>,
  { complaints }: Memory,
): void {
  const found: Complaint[] = watchers
    .filter((watcher) => !watcher.accepted)
    .map(({ declaredBy, refusal }) => ({
      regarding: declaredBy,
      reason: refusal.reason,
      note: refusal.message,
    }));
  const annotations = watchers.filter(({ declaredBy }) => declaredBy === configMap);
  if (configMap !== undefined && annotations.length > 1) {
    found.push({
      regarding: configMap,
      reason: 'ConflictingSelectors',
      note: 'podDeleteSelector differs under k8spatterns.io and k8spatterns.com; both are obeyed',
    });
  }
  const told = complaints.get(key);
  const now = new Set<string>();
  for (const complaint of found) {
    const { kind, metadata } = complaint.regarding;
    const text = [kind, metadata.uid, complaint.reason, complaint.note].join('/');
    now.add(text);
    if (told?.has(text)) continue;
    context.events.record({ ...complaint, type: 'Warning', action: 'Validate' });
  }
  if (now.size > 0) complaints.set(key, now);
  else complaints.delete(key);
}
