import type { JsonPatchOperation } from '../client/client.ts';
import type { KubernetesObject } from '../model/object.ts';

/**
 * Why a request is denied. Clients receive it as the reason of a `Status`, with the corresponding HTTP
 * status.
 */
export type DenialReason = 'Forbidden' | 'Invalid' | 'Unauthorized' | 'RequestEntityTooLarge';

/** The result of `allow`. */
export interface Allowed<T extends KubernetesObject = KubernetesObject> {
  /** Always true. This distinguishes the result from a denial. */
  readonly allowed: true;
  /** The changed object, if the webhook is a mutating webhook. Undefined when nothing changes. */
  readonly object: T | undefined;
  /** Texts for the client, which `kubectl` prints. */
  readonly warnings: readonly string[];
}

/** The result of `deny`. */
export interface Denied {
  /** Always false. This distinguishes a denial from the result of `allow`. */
  readonly allowed: false;
  /** What is wrong, for the person who sent the request. */
  readonly message: string;
  /** Why the request is denied. */
  readonly reason: DenialReason;
  /**
   * The path of the faulty field, such as `spec.host`. Undefined when the problem is not about a single
   * field.
   */
  readonly field: string | undefined;
  /** Texts for the client, which `kubectl` prints. */
  readonly warnings: readonly string[];
}

/**
 * Registered with `Symbol.for`, so that `isDecision` also recognizes decisions from another copy of this
 * module.
 */
const DECISION: unique symbol = Symbol.for('chancery.admission-decision');

/**
 * Allows a request. A webhook that returns nothing also allows it.
 *
 * @param options - `warnings`: warnings that the client displays. Each is cut to 255 characters. Further
 *   warnings are omitted when all together would have more than 4,096 characters. `object`: the changed
 *   object, for a mutating webhook.
 */
export function allow<T extends KubernetesObject = KubernetesObject>(
  options: { readonly warnings?: readonly string[]; readonly object?: T } = {},
): Allowed<T> {
  const { warnings = [], object } = options;
  return Object.freeze({ allowed: true as const, object, warnings, [DECISION]: true });
}

/**
 * Denies a request: the client gets a `Status` with this message after the name of the webhook.
 *
 * @param message - what is wrong, for the person who sent the request. It is cut to 2,048 characters.
 * @param options - `reason`: default `Invalid` if `field` is set, otherwise `Forbidden`. `field`: the path of
 *   the faulty field, such as `spec.host`. `warnings`: as in `allow`.
 */
export function deny(
  message: string,
  options: {
    readonly reason?: DenialReason;
    readonly field?: string;
    readonly warnings?: readonly string[];
  } = {},
): Denied {
  const { field, warnings = [] } = options;
  const { reason = field === undefined ? 'Forbidden' : 'Invalid' } = options;
  const decision = { allowed: false as const, message, reason, field, warnings };
  return Object.freeze({ ...decision, [DECISION]: true });
}

/** Marks a decision that contains a patch from a hook instead of the changed object. */
const PATCH: unique symbol = Symbol.for('chancery.admission-patch');

/** Allows a request and applies the patch of a hook, which must not change the identity of the object. */
export function allowPatched(
  operations: readonly JsonPatchOperation[],
  options: { readonly warnings?: readonly string[] },
): Allowed {
  return Object.freeze({ ...allow(options), [PATCH]: operations });
}

/** The patch that a hook has written; empty for every other decision. */
export function patchOfHook(decision: Allowed): readonly JsonPatchOperation[] {
  return (decision as { readonly [PATCH]?: readonly JsonPatchOperation[] })[PATCH] ?? [];
}

/** True for the results of `allow` and `deny`. */
export function isDecision(value: unknown): value is Allowed | Denied {
  return typeof value === 'object' && value !== null && DECISION in value;
}
