import type { KubernetesObject, ObjectKey } from '../model/object.ts';
import type { ReflectorOptions } from '../watch/reflector-options.ts';
import type { ReflectorStatus } from '../watch/reflector-status.ts';
import type { CachedForm } from './own-writes.ts';

/** What an informer tells its owner, for logs and metrics. */
export interface InformerObserver {
  /** Once per change of state, not per attempt. */
  statusChanged(status: ReflectorStatus): void;
  /** Keys that an authoritative relist found wrong; the cache is about to be repaired. */
  drifted(keys: readonly ObjectKey[]): void;
  /** A handler threw; the other handlers and the source go on. */
  handlerFailed(error: unknown): void;
  /** An index function threw, told once per function; the object is indexed under nothing. */
  indexFailed?(index: string, error: unknown): void;
}

export type { OnUnserved } from '../watch/reflector-options.ts';

/** How an informer lists, watches and caches. Only `clock` is required. */
export interface InformerOptions extends ReflectorOptions {
  /** Names the source in errors and measurements, such as `pods`. Default `objects`. */
  readonly name?: string;
  /** What of an answer to a write it would cache. Default: all of it, whatever it is. */
  readonly cachedForm?: (answer: KubernetesObject) => CachedForm<KubernetesObject>;
}
