import { builtInKindName } from '../../built-in-types/built-in-types.ts';
import { badRequest } from '../../failures/failure.ts';
import { isDeeper } from '../../objects/json-text.ts';
import { isJsonObject, type JsonObject, setField } from '../../objects/json-value.ts';
import { rebuildJson } from '../../objects/json-walk.ts';
import {
  DELETE_FROM_LIST,
  DIRECTIVE,
  discardNulls,
  ELEMENT_ORDER,
  GONE,
  hasDirective,
  type OwnMap,
  RETAIN_KEYS,
  withoutDirectives,
} from './directives.ts';
import { badType, inElementOrder, requireOrder } from './element-order.ts';
import { areMaps, mergeList, unknownDirective } from './merge-list.ts';
import { type GoType, metadataOfList, metadataOfMap } from './patch-metadata.ts';

/** A limit for the recursion. No built-in type is nested so deeply. */
const MAX_LEVELS = 1_000;

export interface StrategicMerge {
  readonly merged: JsonObject;
  /**
   * The patch, without the directives that were carried out. The server quotes it when it refuses the result.
   */
  readonly patch: JsonObject;
}

/**
 * The document after a strategic merge patch (k8s.io/apimachinery, pkg/util/strategicpatch): a
 * merge patch that finds the items of well-known lists by their merge key, with the directives
 * `$patch`, `$retainKeys`, `$setElementOrder/…` and `$deleteFromPrimitiveList/…`. Neither input is
 * changed.
 *
 * Use it only for built-in kinds: custom resources have no strategic merge patch.
 *
 * @throws ApiError 400 for a malformed directive, 422 for lists of lists, and, like the server, 500 for
 * everything else that cannot be merged.
 */
export function applyStrategicMergePatch(
  document: JsonObject,
  patch: JsonObject,
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
): StrategicMerge {
  if (isDeeper(patch, MAX_LEVELS)) {
    throw badRequest(`the patch is nested in more than ${MAX_LEVELS} levels: exceeded max depth`);
  }
  const own = rebuildJson(patch) as OwnMap;
  const type = `#${builtInKindName(apiVersion, kind) ?? ''}`;
  return { merged: mergeMap(rebuildJson(document) as OwnMap, own, { type }), patch: own };
}

/** Merges in place: both maps are copies, and the server's messages contain the changed maps. */
function mergeMap(map: OwnMap, patch: OwnMap, type: GoType): OwnMap {
  if (hasDirective(patch)) return replaced(patch);
  retainKeys(map, patch);
  mergeOrderedLists(map, patch, type);
  for (const [key, value] of Object.entries(patch)) {
    const isDeletion = key.startsWith(DELETE_FROM_LIST);
    mergeField(map, isDeletion ? listNamedBy(key) : key, value, isDeletion, type);
  }
  return map;
}

/**
 * The map that remains after its directive `delete` or `replace` was carried out.
 * @throws ApiError 500 for a directive that the server does not know.
 */
function replaced(patch: OwnMap): OwnMap {
  if (patch[DIRECTIVE] === 'delete') return {};
  if (patch[DIRECTIVE] !== 'replace') throw unknownDirective(patch);
  delete patch[DIRECTIVE];
  return patch;
}

function mergeField(
  map: OwnMap,
  name: string,
  value: unknown,
  isDeletion: boolean,
  type: GoType,
): void {
  if (value === null) {
    delete map[name];
    return;
  }
  const current = Object.hasOwn(map, name) ? map[name] : undefined;
  if (Array.isArray(current) && Array.isArray(value)) {
    setField(map, name, mergedList(current, value, name, isDeletion, type));
  } else if (isJsonObject(current) && isJsonObject(value)) {
    const { below, strategy } = metadataOfMap(type, name);
    const merged =
      strategy === 'replace' ? value : mergeMap(current as OwnMap, value as OwnMap, below);
    setField(map, name, merged);
  } else if (!isDeletion) {
    discardNulls(value);
    const left = withoutDirectives(value);
    if (left === GONE) delete map[name];
    else setField(map, name, left);
  }
}

function mergedList(
  current: unknown[],
  value: readonly unknown[],
  name: string,
  isDeletion: boolean,
  type: GoType,
): readonly unknown[] {
  const { below, strategy, mergeKey } = metadataOfList(type, name);
  if (current.length === 0 && value.length === 0) return current;
  if (isDeletion && !areMaps(current, value)) return current.filter((one) => !value.includes(one));
  if (strategy !== 'merge' && !isDeletion) return value;
  return mergeList(current, value, mergeKey, (item, change) => mergeMap(item, change, below));
}

/**
 * Drops the fields that are not in the list `$retainKeys`.
 * @throws ApiError 400 when the patch contains a field that is not in this list.
 */
function retainKeys(map: OwnMap, patch: OwnMap): void {
  if (!Object.hasOwn(patch, RETAIN_KEYS)) return;
  const keys = patch[RETAIN_KEYS];
  delete patch[RETAIN_KEYS];
  if (!Array.isArray(keys)) throw badRequest('invalid patch format of retainKeys');
  for (const [key, value] of Object.entries(patch)) {
    const isOfList = key.startsWith(DELETE_FROM_LIST) || key.startsWith(ELEMENT_ORDER);
    if (value === null || isOfList || keys.includes(key)) continue;
    throw badRequest('invalid patch format of retainKeys');
  }
  for (const name of Object.keys(map)) if (!keys.includes(name)) delete map[name];
}

/**
 * Merges the lists for which the patch contains `$setElementOrder/…`, and sorts their items in the order of
 * this directive.
 */
function mergeOrderedLists(map: OwnMap, patch: OwnMap, type: GoType): void {
  for (const key of Object.keys(patch).filter((one) => one.startsWith(ELEMENT_ORDER))) {
    const order = patch[key];
    delete patch[key];
    if (!Array.isArray(order)) throw badType('[]interface {}', order);
    const name = listNamedBy(key);
    const current = listIn(map, name);
    const change = listIn(patch, name);
    const { below, strategy, mergeKey } = metadataOfList(type, name);
    requireOrder(change ?? [], order, mergeKey);
    const merged =
      current === undefined
        ? (withoutDirectives(change ?? []) as readonly unknown[])
        : change === undefined
          ? current
          : strategy === 'merge'
            ? mergeList(current, change, mergeKey, (item, one) => mergeMap(item, one, below))
            : change;
    if (current === undefined && change === undefined) continue;
    areMaps(current ?? [], change ?? []);
    setField(map, name, inElementOrder(merged, order, current ?? [], mergeKey));
    delete patch[name];
  }
}

function listIn(map: OwnMap, name: string): unknown[] | undefined {
  if (!Object.hasOwn(map, name)) return undefined;
  const list = map[name];
  if (!Array.isArray(list)) throw badType('[]interface {}', list);
  return list;
}

/**
 * The name of the list in `$setElementOrder/containers`.
 * @throws ApiError 400 when the name is missing.
 */
function listNamedBy(key: string): string {
  const [prefix = '', ...name] = key.split('/');
  const isKnown = prefix === ELEMENT_ORDER || prefix === DELETE_FROM_LIST;
  if (isKnown && name.length > 0) return name.join('/');
  const what = key.startsWith(ELEMENT_ORDER) ? 'setElementOrder list' : 'primitive list';
  throw badRequest(`invalid patch format of ${what}`);
}
