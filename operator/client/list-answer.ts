import { ConfigurationError, ProtocolError } from '../core/errors.ts';
import type { KubernetesObject } from '../model/object.ts';
import { apiVersionOf, type Resource, resourceName } from '../model/resource.ts';
import type { JsonObject } from './answer.ts';

/** A checked list answer without its items. */
export interface ListFrame {
  /** The resourceVersion as the server sent it; empty when absent. */
  readonly resourceVersion: string;
  readonly continueToken: string | undefined;
  /** `metadata.shardInfo.selector`. Undefined when absent. */
  readonly shardSelector: string | undefined;
}

/** A checked list answer. */
interface DecodedList<T extends KubernetesObject> extends ListFrame {
  readonly items: readonly T[];
}

/**
 * The items of a list answer, each with the `apiVersion` and `kind` of `resource`. The server sends items of
 * built-in resources without `apiVersion` and `kind`, and items with only metadata with another `apiVersion`
 * and `kind`. `items: null` is read as an empty list.
 *
 * @param expected - the requested `apiVersion` and `kind`. Default: those of the resource.
 * @throws ProtocolError `DECODE` for a Table, for a list of another kind, and for an item without a
 *   name.
 */
export function decodeList<T extends KubernetesObject>(
  answer: JsonObject,
  resource: Resource<T>,
  expected: ObjectForm = formOf(resource),
): DecodedList<T> {
  const { items } = answer as UncheckedList;
  const isNamedAfterItems = answer.kind === `${expected.kind}List`;
  if (items !== null && !Array.isArray(items)) throw unexpected(resource, expected, answer);
  const frame = decodeFrame(answer, resource, expected);
  const own = formOf(resource);
  const decoded = (items ?? []).map((item: unknown) => {
    return withForm(decodeItem<T>(item, resource, expected, isNamedAfterItems), own);
  });
  return { items: decoded, ...frame };
}

/** A list answer without its items, with the same checks as in `decodeList`. */
export function decodeFrame(
  answer: JsonObject,
  resource: Resource,
  expected: ObjectForm,
): ListFrame {
  const { metadata, apiVersion } = answer as UncheckedList;
  if (apiVersion !== expected.apiVersion) throw unexpected(resource, expected, answer);
  return {
    resourceVersion: textOf(metadata?.resourceVersion),
    continueToken: textOf(metadata?.continue) || undefined,
    shardSelector: textOf(metadata?.shardInfo?.selector) || undefined,
  };
}

/** The `apiVersion` and `kind` of objects as the server sends them. */
export interface ObjectForm {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The `apiVersion` and `kind` of an object when only its metadata was requested. */
export const METADATA_FORM: ObjectForm = Object.freeze({
  apiVersion: 'meta.k8s.io/v1',
  kind: 'PartialObjectMetadata',
});

/** The `apiVersion` and `kind` with which the objects of a resource are sent. */
export function formOf(resource: Resource): ObjectForm {
  return { apiVersion: apiVersionOf(resource), kind: resource.kind };
}

interface UncheckedList {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
  readonly items?: unknown;
  readonly metadata?: {
    readonly resourceVersion?: unknown;
    readonly continue?: unknown;
    readonly shardInfo?: { readonly selector?: unknown } | null;
  } | null;
}

/**
 * Checks an item. If it has a kind, the kind must be the expected one. If it has none, the kind of the list
 * must be the expected kind followed by `List`. This detects a resource that was declared with a wrong kind,
 * before its watch drops every event.
 */
export function decodeItem<T extends KubernetesObject>(
  item: unknown,
  resource: Resource<T>,
  expected: ObjectForm,
  isNamedAfterItems: boolean,
): T {
  if (typeof item !== 'object' || item === null) throw unexpected(resource, expected, {});
  const object = item as Partial<KubernetesObject>;
  const { apiVersion = expected.apiVersion } = object;
  const kind = object.kind ?? (isNamedAfterItems ? expected.kind : undefined);
  if (apiVersion !== expected.apiVersion || kind !== expected.kind) {
    throw unexpected(resource, expected, { apiVersion, kind });
  }
  if (typeof object.metadata?.name !== 'string' || object.metadata.name === '') {
    throw new ProtocolError('an item of a list has no name', {
      code: 'DECODE',
      context: { resource: resourceName(resource) },
    });
  }
  return object as T;
}

function withForm<T extends KubernetesObject>(object: T, form: ObjectForm): T {
  if (object.apiVersion === form.apiVersion && object.kind === form.kind) return object;
  return { ...form, ...object, ...form };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The error for an answer that has another apiVersion or kind than expected. */
export function unexpected(
  resource: Resource,
  expected: ObjectForm,
  got: { readonly apiVersion?: unknown; readonly kind?: unknown },
): ProtocolError {
  return new ProtocolError('the answer is of another kind than the one asked for', {
    code: 'DECODE',
    context: {
      resource: resourceName(resource),
      expected: `${expected.apiVersion} ${expected.kind}`,
      got: `${String(got.apiVersion)} ${String(got.kind)}`,
    },
  });
}

/**
 * A group and version that a name typed by a person may mean. If a member is undefined, any value is meant.
 */
export interface GroupVersionFilter {
  readonly group?: string;
  readonly version?: string;
}

/** A resource name that a person typed, split at its dots. */
export interface TypedName {
  /** Plural, singular, short name or kind, in lower case. */
  readonly name: string;
  /**
   * The possible meanings of the name: in `foos.v1.example.com`, `v1` may be the version, or `v1.example.com`
   * may be the group.
   */
  readonly filters: readonly GroupVersionFilter[];
}

const VERSION = /^v[0-9]+((alpha|beta)[0-9]+)?$/;

/**
 * Parses `cm`, `deployments.apps`, `deployments.v1.apps`, `pods.v1.` or `deployments.apps/v1`.
 *
 * @throws ConfigurationError `CONFIG` when `text` is not in one of these formats.
 */
export function parseTypedName(text: string): TypedName {
  const match = /^([A-Za-z][A-Za-z0-9-]*)(\.[A-Za-z0-9.-]*)?(?:\/([a-z0-9]+))?$/.exec(text);
  const [, name, dotted, version] = match ?? [];
  if (name === undefined || (version !== undefined && !VERSION.test(version))) {
    throw new ConfigurationError(
      `invalid resource ${JSON.stringify(text)}: expected a name such as deployments, ` +
        'deployments.apps, deployments.v1.apps or deployments.apps/v1',
    );
  }
  return { name: name.toLowerCase(), filters: filtersOf(dotted?.slice(1), version) };
}

function filtersOf(
  qualifier: string | undefined,
  version: string | undefined,
): readonly GroupVersionFilter[] {
  if (version !== undefined) {
    return [{ version, ...(qualifier === undefined ? {} : { group: qualifier }) }];
  }
  if (qualifier === undefined) return [{}];
  const dot = qualifier.indexOf('.');
  const first = dot < 0 ? qualifier : qualifier.slice(0, dot);
  const group = dot < 0 ? '' : qualifier.slice(dot + 1);
  return VERSION.test(first)
    ? [{ version: first, group }, { group: qualifier }]
    : [{ group: qualifier }];
}
