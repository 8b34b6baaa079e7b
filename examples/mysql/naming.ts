import {
  enqueueMapped,
  type KubernetesObject,
  keyOf,
  type Mapping,
  type ObjectKey,
  type ObjectMeta,
  objectKey,
  type Resource,
  type Source,
} from 'chancery';

/** For an index of who names what: the key of what an object names in its own namespace, if anything. */
export function keyNamed({ namespace }: ObjectMeta, name = ''): readonly ObjectKey[] {
  return name === '' ? [] : [objectKey(namespace, name)];
}

/** Reconciles who names an object when that object changes: those that `index` of `naming` has under its key. */
export function enqueueNaming<T extends KubernetesObject>(
  named: Source | Resource,
  naming: Source<T>,
  index: string,
): Mapping {
  return enqueueMapped(named, ({ key }, { store }) => store(naming).byIndex(index, key).map(keyOf));
}
