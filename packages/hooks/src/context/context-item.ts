import type {
  AdmissionBinding,
  ConversionBinding,
  KubernetesBinding,
  ScheduleBinding,
} from '../hook.ts';
import type { BindingEvent } from '../watch/binding-watch.ts';

/** One item of the binding context, which is the array that a hook reads. */
export type ContextItem = QueuedItem | ReviewItem;

/** The reason for a run that waits in a queue. */
export type QueuedItem =
  | { readonly type: 'onStartup' }
  | { readonly type: 'Schedule'; readonly binding: ScheduleBinding }
  | { readonly type: 'Synchronization'; readonly binding: KubernetesBinding }
  | { readonly type: 'Event'; readonly binding: KubernetesBinding; readonly event: BindingEvent };

/** A request of the API server that a hook answers. The run of a review has no other item. */
export type ReviewItem =
  | {
      readonly type: 'Validating' | 'Mutating';
      readonly binding: AdmissionBinding;
      /** The AdmissionReview as JSON, in pieces. */
      readonly review: Iterable<string>;
    }
  | {
      readonly type: 'Conversion';
      readonly binding: ConversionBinding;
      /** The version as the hook wrote it. */
      readonly fromVersion: string;
      readonly toVersion: string;
      /** The ConversionReview as JSON, in pieces. */
      readonly review: Iterable<string>;
    };

function isReview(item: ContextItem): item is ReviewItem {
  return 'review' in item;
}

/**
 * The group of an item's binding. In the context, an item with a group has the type `Group`. The
 * result is undefined for a review, because a review never has the type `Group`.
 */
export function groupOf(item: ContextItem): string | undefined {
  return item.type === 'onStartup' || isReview(item) ? undefined : item.binding.group;
}

/**
 * Returns `items` in the same order. Of adjacent items with the same group, only the last item is
 * kept.
 */
export function mergeGroups(items: readonly QueuedItem[]): readonly QueuedItem[] {
  return items.filter((item, at) => {
    const group = groupOf(item);
    const next = items[at + 1];
    return group === undefined || next === undefined || groupOf(next) !== group;
  });
}

/**
 * The Kubernetes bindings whose objects an item contains. The bindings of its snapshots are sorted
 * by name.
 */
export function bindingsShown(
  item: ContextItem,
  bindings: readonly KubernetesBinding[],
): readonly KubernetesBinding[] {
  if (item.type === 'onStartup') return [];
  const included = snapshotsOf(item, bindings);
  const showsOwn = item.type === 'Synchronization' && item.binding.group === undefined;
  return showsOwn ? [item.binding, ...included] : included;
}

/**
 * The bindings whose snapshots are under the key `snapshots`. They are sorted, because their names
 * become keys of JSON.
 */
export function snapshotsOf(
  item: ContextItem,
  bindings: readonly KubernetesBinding[],
): readonly KubernetesBinding[] {
  if (item.type === 'onStartup') return [];
  return item.binding.includeSnapshotsFrom.toSorted().flatMap((name) => {
    const binding = bindings.find((each) => each.name === name);
    return binding === undefined ? [] : [binding];
  });
}
