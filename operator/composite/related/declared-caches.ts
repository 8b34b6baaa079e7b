import { enqueueMapped, type MappingContext } from '../../controller/mapping.ts';
import type { ReconcileContext } from '../../controller/reconciler.ts';
import type { Source } from '../../controller/source.ts';
import { aborted } from '../../core/abort.ts';
import { OperatorError } from '../../core/errors.ts';
import { namespaces } from '../../model/kubernetes/resources.ts';
import { type KubernetesObject, keyOf } from '../../model/object.ts';
import { type Resource, resourceName } from '../../model/resource.ts';
import type { Store } from '../../store/store.ts';
import { type NamespaceLabels, relatedName } from './compiled-rule.ts';
import { noFirstList, type RelatedCaches } from './related-caches.ts';
import type { RulesOfParents } from './rules-of-parents.ts';
import { withRelatedIndexes } from './selected-objects.ts';

/** The caches of sources that the controller declares. */
export function declaredCaches(
  declared: readonly Source[],
  rules: RulesOfParents,
  controller: string,
): RelatedCaches {
  const sources = new Map(
    declared.map((source) => [relatedName(source.resource), withRelatedIndexes(source)]),
  );
  const sourceOf = (resource: Resource): Source => {
    const source = sources.get(relatedName(resource));
    if (source !== undefined) return source;
    throw new OperatorError('a rule names a resource that is none of the related ones', {
      code: 'USER_CODE',
      layer: 'user-code',
      context: { controller, resource: resourceName(resource) },
    });
  };
  return {
    storeOf(resource, _parent, context: Pick<ReconcileContext, 'store'>) {
      const store = context.store(sourceOf(resource));
      if (!store.synced) throw noFirstList(resource); // an optional source
      return store;
    },
    wiring: {
      watches: [...sources.values()].map((source) =>
        enqueueMapped(source, (object, context) =>
          rules.selecting(
            source.resource,
            { key: keyOf(object), metadata: object.metadata },
            labelsFrom(context, sources),
          ),
        ),
      ),
      triggers: [{ run: (_, { signal }) => clearAfter(rules, signal) }],
    },
  };
}

function labelsFrom(
  context: MappingContext,
  sources: ReadonlyMap<string, Source>,
): NamespaceLabels {
  const source = sources.get(relatedName(namespaces));
  if (source === undefined) return () => undefined;
  return (name) => namespaceLabels(context.store(source), name);
}

/** The labels of a namespace that the cache has. */
function namespaceLabels(
  store: Store<KubernetesObject>,
  name: string,
): Readonly<Record<string, string>> | undefined {
  const found = store.synced ? store.get({ name }) : undefined;
  return found === undefined ? undefined : (found.metadata.labels ?? {});
}

/** Parents can come and go unseen before the controller runs again. */
async function clearAfter(rules: RulesOfParents, signal: AbortSignal): Promise<void> {
  await aborted(signal);
  rules.clear();
}
