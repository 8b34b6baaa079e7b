import { ConfigurationError } from 'chancery';
import { isMapping, type KnownKinds, type Mapping } from 'chancery/internal';
import type {
  AdmissionBinding,
  ConversionBinding,
  Hook,
  KubernetesBinding,
  ScheduleBinding,
} from '../hook.ts';
import { contextOfReview, fitsReview, isReview } from './review-sample.ts';

/**
 * Returns the result of a filter for an object: null if the filter has no output, an array if it
 * has several.
 */
export type Filter = (program: string, object: unknown) => Promise<unknown>;

/** The objects that are needed to complete a sample. */
export interface SampleParts {
  readonly hook: Hook;
  readonly known: KnownKinds;
  readonly filter: Filter;
}

const FIELDS: ReadonlySet<string> = new Set([
  ...[
    'binding',
    'type',
    'watchEvent',
    'object',
    'objects',
    'filterResult',
    'groupName',
    'snapshots',
  ],
  ...['review', 'fromVersion', 'toVersion'],
  ...['resourceEvent', 'resourceNamespace', 'resourceKind', 'resourceName'], // of version v0
]);

/**
 * The binding contexts of a sample, with all missing fields filled in.
 *
 * @throws ConfigurationError `CONFIG` with the context and the field, or with the contract to which
 * the sample belongs.
 */
export async function completedSample(
  sample: unknown,
  parts: SampleParts,
): Promise<readonly Mapping[]> {
  const items: readonly unknown[] = Array.isArray(sample) ? sample : [sample];
  if (items.length === 0) throw new ConfigurationError('the sample has no context');
  const contexts: Mapping[] = [];
  for (const [at, item] of items.entries()) {
    const place = placeOf(at);
    const context = await completed(contextIn(item, place), parts, place);
    if ('review' in context && items.length > 1) {
      throw new ConfigurationError(`${place} is a review, and a hook is asked one at a time`);
    }
    contexts.push(context);
  }
  return contexts;
}

/**
 * Refuses a sample that belongs to another contract, or is not a context.
 *
 * @throws ConfigurationError `CONFIG` when the sample is refused.
 */
export function requireContexts(sample: unknown): void {
  for (const [at, item] of [sample].flat().entries()) contextIn(item, placeOf(at));
}

function placeOf(at: number): string {
  return `context ${at + 1} of the sample`;
}

function contextIn(item: unknown, place: string): Mapping {
  if (!isMapping(item)) throw new ConfigurationError(`${place} must be an object`);
  if (isReview(item)) return { review: item };
  if (isObject(item)) return { object: item };
  if (!('binding' in item) && ('parent' in item || 'controller' in item)) {
    throw new ConfigurationError(
      `${place} has parent or controller, as a request to a function of Metacontroller's contract: ` +
        'such a sample is one whole request, with controller, and not in a list',
    );
  }
  const unknown = Object.keys(item).find((field) => !FIELDS.has(field));
  if (unknown !== undefined) {
    throw new ConfigurationError(`${place} has no field ${JSON.stringify(unknown)}`);
  }
  return item;
}

async function completed(given: Mapping, parts: SampleParts, place: string): Promise<Mapping> {
  const { hook } = parts;
  const binding = bindingOf(given, parts, place);
  if (binding === 'onStartup') return { binding };
  const snapshots = await snapshotsOf(given, binding, parts, place);
  if ('path' in binding) return { ...contextOfReview(given, binding, place), ...snapshots };
  const isKubernetes = 'kind' in binding;
  if (hook.config.version === 'v0') {
    return isKubernetes ? contextOfV0(given, binding) : { binding: binding.name };
  }
  if (binding.group !== undefined) {
    return { binding: binding.name, type: 'Group', groupName: binding.group, ...snapshots };
  }
  if (!isKubernetes) return { binding: binding.name, type: 'Schedule', ...snapshots };
  const { watchEvent = 'Added' } = given;
  if (given.type === 'Event' && !('object' in given)) {
    throw new ConfigurationError(`${place}: an Event needs the object that it is about`);
  }
  if (given.type === 'Synchronization' || !('object' in given || 'watchEvent' in given)) {
    const objects = await itemsOf(given.objects ?? [], binding, parts, `${place}: objects`);
    return { binding: binding.name, type: 'Synchronization', objects, ...snapshots };
  }
  if (!['Added', 'Modified', 'Deleted'].includes(String(watchEvent))) {
    throw new ConfigurationError(`${place}: watchEvent must be Added, Modified or Deleted`);
  }
  const item = await itemOf(given, binding, parts);
  return { binding: binding.name, type: 'Event', watchEvent, ...item, ...snapshots };
}

function contextOfV0(given: Mapping, { name }: KubernetesBinding): Mapping {
  const { kind, metadata } = (given.object ?? {}) as {
    readonly kind?: string;
    readonly metadata?: { readonly namespace?: string; readonly name?: string };
  };
  return {
    binding: name,
    resourceEvent: given.resourceEvent ?? 'add',
    resourceNamespace: given.resourceNamespace ?? metadata?.namespace ?? '',
    resourceKind: given.resourceKind ?? kind ?? '',
    resourceName: given.resourceName ?? metadata?.name ?? '',
  };
}

type Binding =
  | KubernetesBinding
  | ScheduleBinding
  | AdmissionBinding
  | ConversionBinding
  | 'onStartup';

/** The binding whose name is in the sample, or the only binding that fits. */
function bindingOf(given: Mapping, parts: SampleParts, place: string): Binding {
  const { admission, conversions, onStartup, kubernetes, schedules } = parts.hook.config;
  const all: readonly Binding[] = [
    ...(onStartup === undefined ? [] : (['onStartup'] as const)),
    ...schedules,
    ...kubernetes,
    ...admission,
    ...conversions,
  ];
  const fitting = all.filter(
    (binding) =>
      (given.binding === undefined || given.binding === nameOf(binding)) &&
      fits(given, binding, parts.known),
  );
  const [first, second] = fitting;
  // A hook cannot distinguish bindings with the same name.
  if (first !== undefined && (second === undefined || given.binding !== undefined)) return first;
  const names = (first === undefined ? all : fitting).map(nameOf).join(', ');
  const why = first === undefined ? 'fits no binding of the hook' : 'fits several bindings';
  throw new ConfigurationError(`${place} ${why}: set binding to one of ${names}`);
}

function nameOf(binding: Binding): string {
  return binding === 'onStartup' ? binding : binding.name;
}

function fits(given: Mapping, binding: Binding, known: KnownKinds): boolean {
  const { type, object } = given;
  const isOfObjects = ['object', 'objects', 'watchEvent', 'resourceName'].some(
    (field) => field in given,
  );
  const isOfReview = binding !== 'onStartup' && 'path' in binding;
  if (isOfReview) return !isOfObjects && fitsReview(given, binding);
  if ('review' in given) return false;
  const isWatch = type === 'Event' || type === 'Synchronization' || isOfObjects;
  if (binding === 'onStartup') return !isWatch && type === undefined;
  if (!('kind' in binding)) return !isWatch;
  if (type === 'Schedule') return false;
  if (!isObject(object)) return true;
  const watched = known(binding.kind, binding.apiVersion);
  return (watched?.kind ?? binding.kind).toLowerCase() === String(object.kind).toLowerCase();
}

/** The member `snapshots`. It exists only if the binding includes snapshots. */
async function snapshotsOf(
  { snapshots = {} }: Mapping,
  { includeSnapshotsFrom }: Exclude<Binding, 'onStartup'>,
  parts: SampleParts,
  place: string,
): Promise<Mapping> {
  if (!isMapping(snapshots)) throw new ConfigurationError(`${place}: snapshots must be an object`);
  const unknown = Object.keys(snapshots).find((name) => !includeSnapshotsFrom.includes(name));
  if (unknown !== undefined) {
    throw new ConfigurationError(
      `${place}: the binding includes no snapshots of ${JSON.stringify(unknown)}`,
    );
  }
  if (includeSnapshotsFrom.length === 0) return {};
  const all: [string, readonly Mapping[]][] = [];
  for (const name of includeSnapshotsFrom) {
    const binding = parts.hook.config.kubernetes.find((each) => each.name === name);
    if (binding === undefined) continue;
    const where = `${place}: snapshots.${name}`;
    all.push([name, await itemsOf(snapshots[name] ?? [], binding, parts, where)]);
  }
  return { snapshots: Object.fromEntries(all) };
}

async function itemsOf(
  items: unknown,
  binding: KubernetesBinding,
  parts: SampleParts,
  place: string,
): Promise<readonly Mapping[]> {
  if (!Array.isArray(items)) throw new ConfigurationError(`${place} must be a list`);
  const completedItems: Mapping[] = [];
  for (const item of items as readonly unknown[]) {
    if (!isMapping(item)) throw new ConfigurationError(`${place} must be a list of objects`);
    completedItems.push(await itemOf(isObject(item) ? { object: item } : item, binding, parts));
  }
  return completedItems;
}

/** The object and the filter result, if the binding keeps them. */
async function itemOf(
  { object, filterResult }: Mapping,
  { jqFilter, keepsFullObjects }: KubernetesBinding,
  { filter }: SampleParts,
): Promise<Mapping> {
  const shown = keepsFullObjects && object !== undefined ? { object } : {};
  if (jqFilter === undefined) return shown;
  if (filterResult !== undefined || object === undefined) {
    return { ...shown, filterResult: filterResult ?? null };
  }
  return { ...shown, filterResult: await filter(jqFilter, object) };
}

/** True for a Kubernetes object. */
function isObject(value: unknown): value is Mapping {
  return isMapping(value) && typeof value.kind === 'string' && isMapping(value.metadata);
}
