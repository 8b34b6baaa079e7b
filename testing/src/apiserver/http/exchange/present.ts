import type { ApiError } from 'chancery';
import { apiVersionOf } from 'chancery/internal';
import { badRequest, failure } from '../../failures/failure.ts';
import { partialOf } from '../../objects/canonical.ts';
import type { Json } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import type { ServedResource } from '../../registry/served-resource.ts';
import { type IncludeObject, type TableOptions, tableOf } from '../../tables/table.ts';
import type { ObjectList } from '../../verbs/reads/list.ts';
import { type Form, negotiate } from './negotiate.ts';

/** How a request wants to be shown what it asked for. */
export interface View extends TableOptions {
  readonly form: Form;
}

const INCLUDES: readonly string[] = ['Metadata', 'None', 'Object'] satisfies IncludeObject[];

/**
 * The view that a request asks for with its Accept header and `includeObject`.
 *
 * @throws ApiError 406 when the server has no such form, 400 for rows that it cannot make.
 */
export function viewOf({ query, ...exchange }: Asked, nowMs: number): View {
  const form = negotiate(exchange.accept);
  const include = query.get('includeObject') || 'Metadata';
  if (form.as === 'table' && !INCLUDES.includes(include)) {
    throw badRequest(
      `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(include)}: must be 'Metadata', 'Object', 'None', or empty`,
    );
  }
  return { form, include: include as IncludeObject, nowMs };
}

/** The same for the events of a watch, which are no list: asked for as one, they are whole. */
export function watchViewOf(view: View): View {
  return view.form.as === 'partial list' ? { ...view, form: { ...view.form, as: 'object' } } : view;
}

interface Asked {
  readonly accept: string | undefined;
  readonly query: URLSearchParams;
}

/** One object in the form that was asked for. @throws ApiError 406 for one asked for as a list. */
export function presentObject(object: StoredObject, served: ServedResource, view: View): unknown {
  if (view.form.as === 'object') return object;
  if (view.form.as === 'partial') return partialOf(object);
  if (view.form.as === 'partial list') {
    throw wrongForm('PartialObjectMetadataList', `not a list (${goType(served, served.kind)})`);
  }
  const { resourceVersion } = object.metadata;
  return tableOf([object], served, { resourceVersion }, view);
}

/** A list in the form that was asked for. @throws ApiError 406 for one asked for as an object. */
export function presentList(list: ObjectList, served: ServedResource, view: View): Json {
  if (view.form.as === 'partial') {
    throw wrongForm('PartialObjectMetadata', `a list (${goType(served, served.listKind)})`);
  }
  const metadata = {
    resourceVersion: list.resourceVersion,
    ...(list.continue === '' ? {} : { continue: list.continue }),
    ...(list.remainingItemCount === undefined
      ? {}
      : { remainingItemCount: list.remainingItemCount }),
  };
  if (view.form.as === 'table') return tableOf(list.items, served, metadata, view);
  if (view.form.as === 'partial list') {
    return {
      kind: 'PartialObjectMetadataList',
      apiVersion: 'meta.k8s.io/v1',
      metadata,
      items: list.items.map(partialOf),
    };
  }
  const apiVersion = apiVersionOf(served);
  if (!served.custom) {
    // In 1.36 no other list says so: not a Table, not one of metadata, and not one of custom resources.
    const { shardSelector: selector } = list;
    const shown = selector === undefined ? metadata : { ...metadata, shardInfo: { selector } };
    return { kind: served.listKind, apiVersion, metadata: shown, items: list.items.map(untyped) };
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

function wrongForm(form: string, found: string): ApiError {
  const message = `you requested ${form}, but the requested object is ${found}`;
  return failure({ code: 406, reason: 'NotAcceptable', message });
}

/** The type that a server in Go names in its message. */
function goType({ custom, group }: ServedResource, kind: string): string {
  if (custom) return `*unstructured.Unstructured${kind.endsWith('List') ? 'List' : ''}`;
  const own = group === '' || group === 'events.k8s.io' ? 'core' : group.split('.')[0];
  return `*${own}.${kind}`;
}

/** The items of a built-in list do not repeat its kind. */
function untyped({ kind: _, apiVersion: __, ...rest }: StoredObject): unknown {
  return rest;
}
