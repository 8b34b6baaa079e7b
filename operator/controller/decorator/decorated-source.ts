import type { Transform } from '../../model/entry.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import type { LabelSelector } from '../../model/selector.ts';
import { type Source, source } from '../source.ts';

/** Which objects of a resource are decorated or are parents. Without selectors: all. */
export interface ObjectSelection {
  readonly labels?: LabelSelector | undefined;
  /** Like a label selector, for annotations: their values may have any characters. */
  readonly annotations?: LabelSelector | undefined;
}

export interface SelectedObjects {
  readonly source: Source;
  /** True for an object that the selection selects. */
  readonly selects: (object: KubernetesObject) => boolean;
}

export interface SelectedObjectsOptions {
  /** The finalizer that keeps an object whole that is no longer selected. Left out: nothing is finalized. */
  readonly finalizer?: string | undefined;
  /** Whether the cache keeps `metadata.managedFields`. Default false. */
  readonly managedFields?: boolean;
}

/** The source of objects that are selected by labels and annotations. */
export function selectedObjects(
  resource: Resource,
  _selection: ObjectSelection,
  _options: SelectedObjectsOptions = {},
): SelectedObjects {
  const transform: Transform = (object) => object;
  return { source: source(resource, { transform }), selects: () => true };
}
