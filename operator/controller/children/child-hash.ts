import { nodeCrypto } from '../../core/builtin-modules.ts';
import { deepJson } from '../../core/deep-json.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { Desired } from '../reconciler.ts';

/** Annotation with the hash of the desired child, to compare it with what is wanted now. */
const CHILD_HASH: string = 'chancery.dev/child-hash';

type Hashed = { readonly metadata: { readonly annotations?: Readonly<Record<string, string>> } };

/** `object` with its own hash as an annotation. */
export function withHash(object: Desired<KubernetesObject>): Desired<KubernetesObject> {
  const { annotations, ...metadata } = object.metadata;
  const hash = nodeCrypto()
    .createHash('sha256')
    .update(canonical(object))
    .digest('hex')
    .slice(0, 32);
  return {
    ...object,
    metadata: { ...metadata, annotations: { ...annotations, [CHILD_HASH]: hash } },
  };
}

/** The hash that an object carries. */
export function hashOf({ metadata }: Hashed): string | undefined {
  return metadata.annotations?.[CHILD_HASH];
}

/** JSON with sorted keys: equal content gives equal text. */
function canonical(value: unknown): string {
  return deepJson(value, (_key, part) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))
      : part,
  );
}
