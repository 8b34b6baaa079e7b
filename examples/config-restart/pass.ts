import type { GoneContext, ObjectKey, Outcome } from 'chancery';
import type { ConfigMap } from 'chancery/kubernetes';
import type { AcceptedWatcher, Watcher } from './watcher.ts';

/** One reconcile of one ConfigMap: everything that its steps read. */
export interface Pass {
  readonly key: ObjectKey;
  readonly namespace: string;
  readonly name: string;
  /** From the cache; undefined when it does not exist. */
  readonly configMap: ConfigMap | undefined;
  readonly watchers: readonly Watcher[];
  /** Those of `watchers` that are obeyed. */
  readonly accepted: readonly AcceptedWatcher[];
  readonly context: GoneContext;
}

/** How a reconcile left things: what is reported, and when to look again. */
export interface PassResult {
  readonly phase: 'watching' | 'missing' | 'restarting' | 'failed';
  /** Digest of the content that the Pods have, where it is known. */
  readonly observedHash?: string | undefined;
  /** What went wrong, where something did. */
  readonly failure?: string;
  readonly result: Outcome;
}
