import type { Clock } from '../core/clock.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { SharedInformer } from './shared-informer.ts';

/** A share in an informer that others may use as well. */
export interface InformerHandle<T extends KubernetesObject> {
  readonly informer: SharedInformer<T>;
  /** Must be called once, when it is used no more. */
  release(): void;
}

export interface NamespacesInformerOptions<T extends KubernetesObject> {
  /** Names the source in errors. */
  readonly name: string;
  readonly clock: Clock;
  readonly random?: () => number;
  /** The namespaces that it shows, in this order. */
  readonly namespaces: readonly string[];
  readonly open: (namespace: string) => InformerHandle<T>;
  readonly handlerFailed: (error: unknown) => void;
}
