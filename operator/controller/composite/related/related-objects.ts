import { ConfigurationError } from '../../../core/errors.ts';
import type { KubernetesObject } from '../../../model/object.ts';
import type { Resource } from '../../../model/resource.ts';
import type { InformerHandle } from '../../../store/namespaces-informer.ts';
import type { ReconcileContext } from '../../reconciler.ts';
import type { Source } from '../../source.ts';
import type { Related, RelatedRule } from '../engine-options.ts';

export interface RelatedOptions {
  /** Name of the controller, for messages. */
  readonly controller: string;
  /** Asks for the rules of a parent. */
  readonly rules: (
    parent: KubernetesObject,
    context: ReconcileContext,
  ) => Promise<readonly RelatedRule[]>;
  /**
   * True: a namespaced parent has related objects only in its own namespace, as with version v1 of a customize hook.
   * Default false.
   */
  readonly ownNamespaceOnly?: boolean;
  /** Milliseconds for which the rules of one generation of a parent are kept. Default 20 minutes; 0: ask each time. */
  readonly rulesKeptMs?: number;
  /**
   * `declared`: every resource that a rule may name. They are sources of the controller. `open`: opens the source of a
   * resource when a rule first names it.
   */
  readonly sources:
    | { readonly declared: readonly Source[] }
    | {
        readonly open: (source: Source) => InformerHandle<KubernetesObject>;
        /** The source of a resource. Default: with the defaults of `source`. */
        readonly sourceOf?: (resource: Resource) => Source;
      };
}

/** Related objects of the parents of one controller. */
export function relatedObjects(options: RelatedOptions): Related {
  return {
    of: () => Promise.reject(new ConfigurationError(options.controller)),
    forget: () => {},
    wiring: {},
  };
}
