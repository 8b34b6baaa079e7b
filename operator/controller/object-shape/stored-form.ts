import { isMapping, type Mapping } from '../../core/mapping.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { apiVersionOf, type Resource } from '../../model/resource.ts';
import { KINDS, TYPES } from './built-in-lists.ts';

/**
 * `object` with each field under the name by which the API server stores it. The server never returns a field
 * under another name: its drift would not be noticed, and the stored field would have no manager that removes
 * it.
 *
 * - `stringData` of a Secret becomes `data`, in base64. If both have a key, `stringData` wins, as on the
 *   server.
 * - `serviceAccountName` in the spec of a Pod has an older name, `serviceAccount`. The server returns the
 *   value under both names. It prefers the newer name if the two values differ, and copies a value that is
 *   missing under one name from the other name. So both names are applied: if only one name was applied, the
 *   value could never be removed.
 *
 * Returns `object` itself when there is nothing to change, and does not touch values of a wrong type, which
 * the API server refuses.
 */
export function withStoredNames<T extends KubernetesObject>(resource: Resource, object: T): T {
  const kind = `${apiVersionOf(resource)}/${resource.kind}`;
  if (kind === 'v1/Secret') return withData(object as T & Mapping);
  return withAccountName(object as T & Mapping, KINDS[kind] ?? '');
}

function withData<T extends Mapping>(secret: T): T {
  const { stringData, data } = secret;
  const texts = isMapping(stringData) ? Object.entries(stringData) : [];
  const isReadable = texts.every(([, text]) => typeof text === 'string' || text === undefined);
  if (stringData === undefined || !(isReadable && isMapping(stringData))) return secret;
  const encoded = texts
    .filter(([, text]) => text !== undefined)
    .map(([key, text]) => [key, Buffer.from(String(text)).toString('base64')]);
  const { stringData: _, ...rest } = secret;
  const whole = { ...(isMapping(data) ? data : {}), ...Object.fromEntries(encoded) };
  return { ...rest, data: whole } as unknown as T;
}

/** Follows the types of the kind down to the spec of a Pod. A kind contains at most one spec of a Pod. */
function withAccountName<T extends Mapping>(value: T, type: string): T {
  if (type === 'core.v1.PodSpec') {
    const account = value.serviceAccountName || value.serviceAccount;
    const isStated = typeof account === 'string' && account !== '';
    return isStated ? { ...value, serviceAccountName: account, serviceAccount: account } : value;
  }
  for (const [name, { of }] of Object.entries(TYPES[type] ?? {})) {
    const inner = Object.hasOwn(value, name) ? value[name] : undefined;
    if (of === undefined || !isMapping(inner) || !LEADS_TO_PODS.test(name)) continue;
    const changed = withAccountName(inner, of);
    if (changed !== inner) return { ...value, [name]: changed };
  }
  return value;
}

/** The fields that lead to the spec of a Pod in built-in kinds. */
const LEADS_TO_PODS = /^(?:spec|template|jobTemplate)$/;
