import type { ApiError } from 'chancery';
import { apiVersionOf } from 'chancery/internal-objects';
import { badRequest, failure, internalError } from '../../failures/failure.ts';
import { partialOf } from '../../objects/canonical.ts';
import { isObject, type Json, withMetadata } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import type { ServedResource } from '../../registry/served-resource.ts';
import { type IncludeObject, type TableOptions, tableOf } from '../../tables/table.ts';
import type { ObjectList } from '../../verbs/reads/list.ts';
import type { Exchange } from './exchange.ts';
import type { Form, Offer } from './negotiate.ts';

/** The format that a request has negotiated for its answer, and the options for Tables. */
export interface View extends TableOptions {
  readonly form: Form;
}

const INCLUDES: readonly string[] = ['Metadata', 'None', 'Object'] satisfies IncludeObject[];

/**
 * Reads the requested format from the Accept header and the parameter `includeObject`.
 *
 * @throws ApiError 406 when the server cannot send this format, 400 for an invalid `includeObject`.
 */
export function viewOf(exchange: Exchange, offer: Offer, nowMs: number): View {
  const form = exchange.formFrom(offer);
  const include = exchange.query.get('includeObject') || 'Metadata';
  if (form.as === 'table' && !INCLUDES.includes(include)) {
    throw badRequest(
      `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(include)}: must be 'Metadata', 'Object', 'None', or empty`,
    );
  }
  return { form, include: include as IncludeObject, nowMs };
}

/**
 * The format for the events of a watch. An event does not contain a list, so a request for a partial list
 * gets whole objects.
 */
export function watchViewOf(view: View): View {
  return view.form.as === 'partial list' ? { ...view, form: { ...view.form, as: 'object' } } : view;
}

/**
 * One object in the requested format.
 * @throws ApiError 406 when the client requested the format of a list.
 */
export function presentObject(whole: StoredObject, served: ServedResource, view: View): unknown {
  const object = shownTo(view, whole);
  if (view.form.as === 'object') return object;
  if (view.form.as === 'partial') return inMetaVersion(partialOf(object), view);
  if (view.form.as === 'partial list') {
    if (served.custom) throw internalError('content is not a list');
    throw wrongForm('PartialObjectMetadataList', `not a list (${goType(served, served.kind)})`);
  }
  const { resourceVersion } = object.metadata;
  return inMetaVersion(tableOf([object], served, { resourceVersion }, view), view);
}

/**
 * A list in the requested format.
 * @throws ApiError 406 when the client requested the format of a single object.
 */
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
  const items = list.items.map((item) => shownTo(view, item));
  if (view.form.as === 'table') {
    return inMetaVersion(tableOf(items, served, metadata, view), view);
  }
  if (view.form.as === 'partial list') {
    const kind = 'PartialObjectMetadataList';
    const list = { kind, apiVersion: 'meta.k8s.io/v1', metadata, items: items.map(partialOf) };
    return inMetaVersion(list, view);
  }
  const apiVersion = apiVersionOf(served);
  if (!served.custom) {
    // In 1.36 only lists of built-in kinds have `shardInfo`: Tables, partial metadata and lists of custom
    // resources do not.
    const { shardSelector: selector } = list;
    const shown = selector === undefined ? metadata : { ...metadata, shardInfo: { selector } };
    return { kind: served.listKind, apiVersion, metadata: shown, items: items.map(untyped) };
  }
  // Lists of custom resources are encoded as maps with sorted keys. They have a `continue` even if it is
  // empty.
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
  return { apiVersion, items, kind: served.listKind, metadata: sorted };
}

const META = 'meta.k8s.io/v1';

/**
 * A Table or partial metadata in the requested version of `meta.k8s.io`. Partial metadata inside a Table gets
 * this version, too.
 */
export function inMetaVersion(value: Json, { form }: View): Json {
  if (form.metaVersion === 'v1') return value;
  const older = (one: unknown): unknown =>
    isObject(one) && one.apiVersion === META ? { ...one, apiVersion: `${META}beta1` } : one;
  const { items, rows } = value;
  return {
    ...value,
    apiVersion: `${META}beta1`,
    ...(Array.isArray(items) ? { items: items.map(older) } : {}),
    ...(Array.isArray(rows)
      ? { rows: rows.map((row) => ({ ...row, object: older(row.object) })) }
      : {}),
  };
}

/** The object, without `managedFields` if the client does not want them. */
export function shownTo({ form }: View, object: StoredObject): StoredObject {
  return form.dropsManagedFields ? withMetadata(object, { managedFields: undefined }) : object;
}

function wrongForm(form: string, found: string): ApiError {
  const message = `you requested ${form}, but the requested object is ${found}`;
  return failure({ code: 406, reason: 'NotAcceptable', message });
}

/** The name of the Go type in the server's message. */
function goType({ custom, group }: ServedResource, kind: string): string {
  if (custom) return `*unstructured.Unstructured${kind.endsWith('List') ? 'List' : ''}`;
  const own = group === '' || group === 'events.k8s.io' ? 'core' : group.split('.')[0];
  return `*${own}.${kind}`;
}

/** An item for a list of a built-in kind. Such items have no `kind` and no `apiVersion`. */
function untyped({ kind: _, apiVersion: __, ...rest }: StoredObject): unknown {
  return rest;
}
