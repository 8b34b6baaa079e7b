import { bindingsShown, groupOf } from '../context/context-item.ts';
import type { KubernetesBinding } from '../hook.ts';
import type { BindingObject } from '../watch/binding-watch.ts';
import type { RunTask } from './task.ts';

/**
 * A run takes no further tasks once its context file has this length in UTF-16 units. Each item
 * repeats its snapshots: 100 events of a hook with 5,000 objects of 1 kB would be 500 MB.
 */
const MAX_CONTEXT_CHARS = 32 * 1024 * 1024;

/** A function that decides, task by task, which tasks join a run. */
export function mergeLimit(
  read: (binding: KubernetesBinding) => readonly BindingObject[],
): (taken: readonly RunTask[], next: RunTask) => boolean {
  const snapshotChars = new Map<KubernetesBinding, number>();
  const charsOf = ({ hook, item }: RunTask): number => {
    let chars = item.type === 'Event' ? charsOfObject(item.event.object) : 0;
    for (const binding of bindingsShown(item, hook.config.kubernetes)) {
      const known = snapshotChars.get(binding);
      const shown = known ?? read(binding).reduce((sum, each) => sum + charsOfObject(each), 0);
      snapshotChars.set(binding, shown);
      chars += shown;
    }
    return chars;
  };
  let total: number | undefined;
  return (taken, next) => {
    const last = taken.at(-1);
    if (last === undefined) return true;
    total ??= charsOf(last);
    const group = groupOf(next.item);
    // The previous item of the same group is dropped: see `mergeGroups`.
    if (group !== undefined && group === groupOf(last.item)) return true;
    total += charsOf(next);
    return total <= MAX_CONTEXT_CHARS;
  };
}

function charsOfObject({ objectText, filterText }: BindingObject): number {
  return (objectText?.length ?? 0) + (filterText?.length ?? 0);
}
