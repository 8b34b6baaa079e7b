import type { Condition } from '../../model/condition.ts';
import { isUndeclaredField } from '../../model/refusal.ts';
import { type Resource, resourceName } from '../../model/resource.ts';
import { ApiError } from '../../model/status.ts';

/**
 * A field that the toolkit adds to the status from a reconciler or a function. It is a field of the status,
 * or of each condition. `conditions` is the list itself, which an engine adds if it writes a condition.
 */
export type AddedField =
  | 'observedGeneration'
  | 'conditions'
  | 'condition.observedGeneration'
  | 'condition.lastTransitionTime';

/** For each field: a pattern for its name in the message with which the API server refuses it. */
const PATHS: readonly (readonly [AddedField, string])[] = [
  ['observedGeneration', 'observedGeneration'],
  ['conditions', 'conditions'],
  ['condition.observedGeneration', 'conditions\\[[^\\]]*\\]\\.observedGeneration'],
  ['condition.lastTransitionTime', 'conditions\\[[^\\]]*\\]\\.lastTransitionTime'],
];

/**
 * The added fields that the API server refuses, according to its answer. In a server-side apply, the server
 * refuses each undeclared field. In development, where fields are validated strictly, it refuses them in any
 * write. The result is empty for any other error.
 */
export function refusedFieldsIn(error: unknown): readonly AddedField[] {
  if (!(error instanceof ApiError)) return [];
  const isApply = isUndeclaredField(error);
  const fields = PATHS.filter(([, path]) =>
    isApply
      ? new RegExp(`\\.status\\.${path}: field not declared in schema`).test(error.message)
      : new RegExp(`unknown field "status\\.${path}"`).test(error.message),
  );
  return fields.map(([field]) => field);
}

/** The fields in a status that the toolkit may have added. */
export function addedFieldsOf(status: {
  readonly observedGeneration?: unknown;
  readonly conditions?: readonly Partial<Condition>[];
}): readonly AddedField[] {
  const { conditions = [] } = status;
  return [
    ...(status.observedGeneration === undefined ? [] : (['observedGeneration'] as const)),
    ...OF_CONDITIONS.filter((field) => conditions.some((each) => each[field] !== undefined)).map(
      (field) => `condition.${field}` as const,
    ),
  ];
}

const OF_CONDITIONS = ['observedGeneration', 'lastTransitionTime'] as const;

/** Milliseconds for which refused fields are omitted before they are tried again. */
const LEFT_ALONE_MS = 60 * 60_000;

/**
 * Remembers which fields that `setStatus` adds are not in the installed definition of a resource. Server-side
 * apply writes all fields or none, so one such field would prevent the write of the whole status.
 */
export class UndeclaredFields {
  readonly #known = new Map<string, { readonly fields: Omitted; readonly untilMs: number }>();

  /** @param nowMs - monotonic time. */
  of(resource: Resource, nowMs: number): Omitted {
    const known = this.#known.get(resourceName(resource));
    return known !== undefined && nowMs < known.untilMs ? known.fields : NONE;
  }

  /** @param write - an accepted write: the fields that it omitted, and the added fields that it contained. */
  learn(
    resource: Resource,
    { omitted, written }: { readonly omitted: Omitted; readonly written: readonly AddedField[] },
    nowMs: number,
  ): void {
    const fields = new Set([...this.of(resource, nowMs), ...omitted]);
    for (const field of written) fields.delete(field);
    this.#known.set(resourceName(resource), { fields, untilMs: nowMs + LEFT_ALONE_MS });
  }
}

type Omitted = ReadonlySet<AddedField>;

const NONE: Omitted = new Set();
