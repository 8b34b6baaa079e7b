import type { JsonPatchOperation } from '../client/client.ts';
import type { KubernetesObject } from '../model/object.ts';

/** Why a request is denied. Clients see it as the reason of a `Status`, with its HTTP status. */
export type DenialReason = 'Forbidden' | 'Invalid' | 'Unauthorized' | 'RequestEntityTooLarge';

/** What `allow` returns. */
export interface Allowed<T extends KubernetesObject = KubernetesObject> {
  /** Tells the two answers apart. */
  readonly allowed: true;
  /** The changed object, from a mutating webhook. Undefined when nothing changes. */
  readonly object: T | undefined;
  /** Texts for the client, which `kubectl` prints. */
  readonly warnings: readonly string[];
}

/** What `deny` returns. */
export interface Denied {
  /** Tells the two answers apart. */
  readonly allowed: false;
  /** What is wrong, for the person who sent the request. */
  readonly message: string;
  /** Why the request is denied. */
  readonly reason: DenialReason;
  /** The path of the field at fault, such as `spec.host`. Undefined when it is not one field. */
  readonly field: string | undefined;
  /** Texts for the client, which `kubectl` prints. */
  readonly warnings: readonly string[];
}

/** Registered with `Symbol.for`: `isDecision` then knows the decisions of another copy of this module. */
const DECISION: unique symbol = Symbol.for('chancery.admission-decision');

/**
 * Allows a request. A webhook that returns nothing allows it, too.
 *
 * @param options - `warnings`: texts that the client shows. Each is cut to 255 characters, and all together
 *   have at most 4,096: later ones are left out. `object`: the changed object, from a mutating webhook.
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
 * @param options - `reason`: default `Forbidden`, or `Invalid` with a field. `field`: the path of the field at
 *   fault, such as `spec.host`. `warnings`: as in `allow`.
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

/** A hook writes the patch itself, in place of the changed object. */
const PATCH: unique symbol = Symbol.for('chancery.admission-patch');

/** Allows a request with the patch of a hook. It must not change the identity of the object. */
export function allowPatched(
  operations: readonly JsonPatchOperation[],
  options: { readonly warnings?: readonly string[] },
): Allowed {
  return Object.freeze({ ...allow(options), [PATCH]: operations });
}

/** The patch that a hook has written. Empty for every other answer. */
export function patchOfHook(decision: Allowed): readonly JsonPatchOperation[] {
  return (decision as { readonly [PATCH]?: readonly JsonPatchOperation[] })[PATCH] ?? [];
}

/** True for what `allow` and `deny` return. */
export function isDecision(value: unknown): value is Allowed | Denied {
  return typeof value === 'object' && value !== null && DECISION in value;
}
