import { controllerOf, formatSelector, type ObjectMeta, type ReconcileContext } from 'chancery';
import { type Pod, pods } from 'chancery/kubernetes';
import { Owners, type PodOwner } from './owners.ts';
import { isFinished, isReady, isTerminating } from './pod-state.ts';
import type { AcceptedWatcher, Strategy } from './watcher.ts';

export type RollingOwner = Extract<PodOwner, { type: 'rolling' }>;

/** What a restart will do. Every Pod stands in one place at most. */
export interface Plan {
  readonly rollouts: ReadonlyMap<string, RollingOwner>;
  /** Pod names by uid. */
  readonly evict: ReadonlyMap<string, string>;
  readonly delete: ReadonlyMap<string, string>;
  /** Ready Pods by the uid of their owner, among those to evict. */
  readonly readyPods: ReadonlyMap<string, number>;
  /** Names of Pods that nobody would bring back. */
  readonly barePods: ReadonlySet<string>;
  /** Selectors that matched nothing. */
  readonly unmatched: readonly string[];
  /** The Pods that each watcher asked to be restarted. */
  readonly podsOf: ReadonlyMap<AcceptedWatcher, readonly string[]>;
}

/** The gentlest first: a Pod that two watchers select is restarted the gentler way, once. */
const ORDER: Readonly<Record<Strategy, number>> = { rollout: 0, evict: 1, delete: 2 };

/** The Pods of `watchers`, read live, and what to do with each. Changes nothing. */
export async function planRestart(
  namespace: string,
  watchers: readonly AcceptedWatcher[],
  context: Pick<ReconcileContext, 'client' | 'log' | 'self' | 'signal'>,
): Promise<Plan> {
  const draft = new Draft(new Owners(namespace, context));
  const inOrder = watchers.toSorted((a, b) => ORDER[a.demand.strategy] - ORDER[b.demand.strategy]);
  for (const watcher of inOrder) {
    const labelSelector = formatSelector(watcher.demand.selector);
    const { client, signal } = context;
    const matched = await client.list(pods, { namespace, labelSelector, signal });
    if (matched.length === 0) draft.unmatched.push(labelSelector);
    const names: string[] = [];
    for (const pod of matched.toSorted(byName)) {
      if (await draft.add(pod, watcher.demand.strategy)) names.push(pod.metadata.name);
      else context.log.debug({ pod: pod.metadata.name }, 'pod left alone');
    }
    draft.podsOf.set(watcher, names);
  }
  return draft;
}

class Draft implements Plan {
  readonly rollouts = new Map<string, RollingOwner>();
  readonly evict = new Map<string, string>();
  readonly delete = new Map<string, string>();
  readonly readyPods = new Map<string, number>();
  readonly barePods = new Set<string>();
  readonly unmatched: string[] = [];
  readonly podsOf = new Map<AcceptedWatcher, readonly string[]>();
  readonly #owners: Owners;

  constructor(owners: Owners) {
    this.#owners = owners;
  }

  /** False for a Pod that is left alone. */
  async add(pod: Pod, strategy: Strategy): Promise<boolean> {
    const { name, uid } = pod.metadata;
    if (uid === undefined || isFinished(pod) || isTerminating(pod)) return false;
    const owner = await this.#owners.of(pod);
    if (await this.#owners.isSelf(pod, owner)) return false;
    if (owner.type === 'none') this.barePods.add(name);
    if (owner.type === 'none' || owner.type === 'untouchable') return false;
    if (this.rollouts.has(owner.uid) || this.evict.has(uid) || this.delete.has(uid)) return true;
    if (strategy === 'rollout' && owner.type === 'rolling') this.rollouts.set(owner.uid, owner);
    else if (strategy === 'delete') this.delete.set(uid, name);
    else this.#addEviction(pod, uid);
    return true;
  }

  #addEviction(pod: Pod, uid: string): void {
    this.evict.set(uid, pod.metadata.name);
    const ownerUid = controllerOf(pod)?.uid;
    if (ownerUid === undefined || !isReady(pod)) return;
    this.readyPods.set(ownerUid, (this.readyPods.get(ownerUid) ?? 0) + 1);
  }
}

function byName(a: { metadata: ObjectMeta }, b: { metadata: ObjectMeta }): number {
  return a.metadata.name < b.metadata.name ? -1 : 1;
}
