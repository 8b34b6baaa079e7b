import { type Source, type SourceOptions, source } from '../../controller/source.ts';
import { dropManagedFields, type Transform } from '../../model/entry.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import {
  formatSelector,
  type LabelSelector,
  matchesSelector,
  type Selector,
  selectorFromObject,
} from '../../model/selector.ts';

/**
 * Which objects of a resource are decorated objects or parents. Both selectors must match. If both are
 * omitted, all objects are selected.
 */
export interface ObjectSelection {
  /** Labels that the objects must have. */
  readonly labels?: LabelSelector | undefined;
  /**
   * Annotations that the objects must have, written like a label selector. The values may contain any
   * characters.
   */
  readonly annotations?: LabelSelector | undefined;
}

/** The source of the selected objects. It may also contain other objects, whose metadata alone is cached. */
export interface SelectedObjects {
  readonly source: Source;
  /** True for an object that the selection selects. */
  readonly selects: (object: KubernetesObject) => boolean;
}

/** How the selected objects are cached. */
export interface SelectedObjectsOptions {
  /**
   * An object with this finalizer is cached whole even if it is no longer selected. Default: no finalizer.
   */
  readonly finalizer?: string | undefined;
  /** True if the cache keeps `metadata.managedFields`. Default false. */
  readonly managedFields?: boolean;
  /** Further options of the source. */
  readonly source?: Omit<SourceOptions, 'transform' | 'labelSelector'>;
}

/**
 * The source of the objects that `selection` selects.
 *
 * Without a finalizer, the server selects by labels. With a finalizer it must not do so, because an object
 * that stops matching would disappear from the cache before it is finalized. In that case, and if annotations
 * are selected, every object is listed. For an object that is neither selected nor has the finalizer, only
 * metadata is cached.
 *
 * @throws ConfigurationError `CONFIG` for an invalid selector.
 */
export function selectedObjects(
  resource: Resource,
  { labels, annotations }: ObjectSelection,
  { finalizer, managedFields = false, source: options }: SelectedObjectsOptions = {},
): SelectedObjects {
  const byLabels = labels === undefined ? [] : selectorFromObject(labels);
  const byAnnotations = annotations === undefined ? [] : annotationSelector(annotations);
  const selects = ({ metadata }: KubernetesObject): boolean =>
    matchesSelector(byLabels, metadata.labels) &&
    matchesSelector(byAnnotations, metadata.annotations);
  const atServer = finalizer === undefined ? byLabels : [];
  const inMemory = finalizer === undefined ? byAnnotations : [...byLabels, ...byAnnotations];
  const parts = [managedFields, finalizer ?? null, byAnnotations, atServer === byLabels, byLabels];
  const transform =
    inMemory.length === 0
      ? wholeObjects(managedFields)
      : remembered(JSON.stringify(parts), () => reducing(selects, finalizer, managedFields));
  return {
    selects,
    source: source(resource, {
      ...options,
      ...(atServer.length > 0 && { labelSelector: formatSelector(atServer) }),
      transform,
    }),
  };
}

/**
 * Like `selectorFromObject`, but only keys and operators are checked, because the values may contain any
 * characters.
 */
function annotationSelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector): Selector {
  const checked = selectorFromObject({
    matchLabels: Object.fromEntries(Object.keys(matchLabels).map((key) => [key, ''])),
    matchExpressions: matchExpressions.map(({ values, ...rest }) => ({
      ...rest,
      ...(values !== undefined && { values: values.map(() => '') }),
    })),
  });
  const given = [
    ...Object.values(matchLabels).map((value) => [value]),
    ...matchExpressions.map(({ values = [] }) => values),
  ];
  return checked.map((requirement, at) => ({ ...requirement, values: given[at] ?? [] }));
}

/** Returns one of two functions, always the same ones, so that equal sources share a cache. */
function wholeObjects(managedFields: boolean): Transform {
  return managedFields ? asReceived : dropManagedFields;
}

function asReceived<T>(object: T): T {
  return object;
}

/**
 * Maximum number of remembered transforms, which is enough for every controller in a process. If a transform
 * is forgotten, the only effect is that its source gets a separate cache.
 */
const MAX_TRANSFORMS = 1_000;

const transforms = new Map<string, Transform>();

function remembered(name: string, make: () => Transform): Transform {
  const known = transforms.get(name) ?? make();
  transforms.delete(name);
  transforms.set(name, known);
  const [oldest] = transforms.keys();
  if (transforms.size > MAX_TRANSFORMS && oldest !== undefined) transforms.delete(oldest);
  return known;
}

function reducing(
  selects: SelectedObjects['selects'],
  finalizer: string | undefined,
  managedFields: boolean,
): Transform {
  const whole = wholeObjects(managedFields);
  return (object) => {
    const isKept =
      selects(object) ||
      (finalizer !== undefined && object.metadata.finalizers?.includes(finalizer) === true);
    return isKept ? whole(object) : metadataOf(object);
  };
}

/** The annotation in which kubectl keeps a copy of the object. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

function metadataOf<T extends KubernetesObject>({ apiVersion, kind, metadata }: T): T {
  const { managedFields: _, annotations = {}, ...rest } = metadata;
  const { [LAST_APPLIED]: __, ...kept } = annotations ?? {};
  // The other fields are dropped. User code never receives an object that is not selected.
  return { apiVersion, kind, metadata: { ...rest, annotations: kept } } as unknown as T;
}
