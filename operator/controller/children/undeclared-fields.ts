import { isUndeclaredField } from '../../model/refusal.ts';
import { type Resource, resourceName } from '../../model/resource.ts';
import type { ApiError } from '../../model/status.ts';

/** A field that `setStatus` adds to what a reconciler states: of the status, or of each condition. */
export type AddedField =
  | 'observedGeneration'
  | 'condition.observedGeneration'
  | 'condition.lastTransitionTime';

/** How server-side apply names each field that the schema does not have. */
const REFUSED: readonly (readonly [AddedField, RegExp])[] = [
  ['observedGeneration', refused('observedGeneration')],
  ['condition.observedGeneration', refused('conditions\\[[^\\]]*\\]\\.observedGeneration')],
  ['condition.lastTransitionTime', refused('conditions\\[[^\\]]*\\]\\.lastTransitionTime')],
];

/** Milliseconds after which an added field is tried again: the definition may have been upgraded. */
const TRIED_AGAIN_MS = 60 * 60_000;

/**
 * Remembers which fields that `setStatus` adds are not in the installed definition of a resource. Server-side apply
 * writes all fields or none, so one such field would keep the whole status from being written.
 */
export class UndeclaredFields {
  readonly #known = new Map<
    string,
    { readonly fields: Set<AddedField>; readonly untilMs: number }
  >();

  /** @param nowMs - monotonic. */
  of(resource: Resource, nowMs: number): ReadonlySet<AddedField> {
    const known = this.#known.get(resourceName(resource));
    return known !== undefined && nowMs < known.untilMs ? known.fields : NONE;
  }

  /** True when the server has refused added fields that were not known to be missing. They are known now. */
  learn(error: unknown, resource: Resource, nowMs: number): boolean {
    if (!isUndeclaredField(error)) return false;
    const known = this.of(resource, nowMs);
    const { message } = error as ApiError;
    const found = REFUSED.filter(([field, form]) => !known.has(field) && form.test(message));
    if (found.length === 0) return false;
    const fields = new Set([...known, ...found.map(([field]) => field)]);
    this.#known.set(resourceName(resource), { fields, untilMs: nowMs + TRIED_AGAIN_MS });
    return true;
  }
}

const NONE: ReadonlySet<AddedField> = new Set();

function refused(path: string): RegExp {
  return new RegExp(`\\.status\\.${path}: field not declared in schema`);
}
