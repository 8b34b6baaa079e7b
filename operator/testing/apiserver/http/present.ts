import { apiVersionOf } from '../../../model/resource.ts';
import type { StoredObject } from '../cluster-access.ts';
import { partialOf } from '../objects/partial.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import { type TableOptions, tableOf } from '../tables/table.ts';
import type { ObjectList } from '../verbs/list.ts';
import type { Form } from './negotiate.ts';

/** How a request wants to be shown what it asked for. */
export interface View extends TableOptions {
  readonly form: Form;
}

/** One object in the form that was asked for. */
export function presentObject(object: StoredObject, served: ServedResource, view: View): unknown {
  if (view.form.as === 'object') return object;
  if (view.form.as === 'partial') return partialOf(object);
  const { resourceVersion } = object.metadata;
  return tableOf([object], served, { resourceVersion }, view);
}

/** A list in the form that was asked for. */
export function presentList(list: ObjectList, served: ServedResource, view: View): unknown {
  const metadata = {
    resourceVersion: list.resourceVersion,
    ...(list.continue === '' ? {} : { continue: list.continue }),
    ...(list.remainingItemCount === undefined
      ? {}
      : { remainingItemCount: list.remainingItemCount }),
  };
  if (view.form.as === 'table') return tableOf(list.items, served, metadata, view);
  if (view.form.as === 'partial') {
    return {
      kind: 'PartialObjectMetadataList',
      apiVersion: 'meta.k8s.io/v1',
      metadata,
      items: list.items.map(partialOf),
    };
  }
  const apiVersion = apiVersionOf(served);
  if (!served.custom) {
    return { kind: served.listKind, apiVersion, metadata, items: list.items.map(untyped) };
  }
  // Custom resources are encoded as sorted maps, and with an empty continue.
  const {
    continue: token,
    remainingItemCount,
    resourceVersion,
  } = { continue: '', ...metadata } as {
    continue: string;
    remainingItemCount?: number;
    resourceVersion: string;
  };
  const sorted = {
    continue: token,
    ...(remainingItemCount === undefined ? {} : { remainingItemCount }),
    resourceVersion,
  };
  return { apiVersion, items: list.items, kind: served.listKind, metadata: sorted };
}

/** The items of a built-in list do not repeat its kind. */
function untyped({ kind: _, apiVersion: __, ...rest }: StoredObject): unknown {
  return rest;
}
