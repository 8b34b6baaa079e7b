import { deepJson } from '../../operator/core/json/deep-json.ts';
import { Entry, type EntryIdentity } from '../../operator/model/entry.ts';
import { type KubernetesObject, keyOf } from '../../operator/model/object.ts';

/** What tells `object` from others. */
export function identityOf(object: KubernetesObject): EntryIdentity {
  const { uid = '', resourceVersion = '' } = object.metadata;
  return { key: keyOf(object), uid, resourceVersion };
}

/** An object as it comes from a server: JSON of which nothing but its identity was looked at. */
export function textEntry<T extends KubernetesObject>(object: T): Entry<T> {
  const { apiVersion, kind, metadata, ...more } = object;
  const head = jsonOf({ kind, apiVersion, metadata }).slice(0, -1);
  const rest = jsonOf(more).slice(1);
  const text = rest === '}' ? `${head}}` : `${head},${rest}`;
  return Entry.ofText<T>(identityOf(object), text, head.length - 1);
}

/**
 * The entry of what came in place of the JSON of an object.
 *
 * @param text - its `metadata` hold no braces but those of flat objects.
 */
export function entryOfText<T extends KubernetesObject>(object: T, text: string): Entry<T> {
  const metadata = /"metadata":\{(?:[^{}]|\{[^{}]*\})*/.exec(text);
  const metadataEnd = metadata === null ? 1 : metadata.index + metadata[0].length;
  return Entry.ofText<T>(identityOf(object), text, metadataEnd);
}

function jsonOf(value: object): string {
  try {
    return JSON.stringify(value);
  } catch {
    return deepJson(value, (_key, part) => part); // a RangeError: it is nested too deeply
  }
}
