import {
  enqueueMapped,
  type KubernetesObject,
  keyOf,
  type Mapping,
  type ObjectMeta,
  type Resource,
  type Source,
  type Target,
} from 'chancery';

/** For indexes and mappings: what an object names in its own namespace, if anything. */
export function named({ namespace }: ObjectMeta, name = ''): readonly Target[] {
  return name === '' ? [] : [{ namespace, name }];
}

/** Reconciles who names an object when that object changes: those that `index` of `naming` has under its key. */
export function enqueueNaming<T extends KubernetesObject>(
  changed: Source | Resource,
  naming: Source<T>,
  index: string,
): Mapping {
  return enqueueMapped(changed, ({ metadata }, { store }) =>
    store(naming).byIndex(index, metadata).map(keyOf),
  );
}
