import type { ApiError, Resource } from 'chancery';
import type { FieldError } from 'chancery/internal';
import { failure } from './failure.ts';

export type Kinded = Pick<Resource, 'group' | 'kind'>;

export type { FieldError };

export function invalid(
  { kind, group }: Kinded,
  name: string,
  fields: readonly FieldError[],
): ApiError {
  const qualified = group === '' ? kind : `${kind}.${group}`;
  // A problem that was found twice is listed as two causes, but only once in the message.
  const texts = [...new Set(fields.map(({ field, message }) => `${field}: ${message}`))];
  const [only = ''] = texts;
  const list = texts.length === 1 ? only : `[${texts.join(', ')}]`;
  return failure({
    code: 422,
    reason: 'Invalid',
    message: `${qualified} "${name}" is invalid: ${list}`,
    details: {
      ...(name === '' ? {} : { name }),
      ...(group === '' ? {} : { group }),
      ...(kind === '' ? {} : { kind }),
      causes: fields.map(({ field, reason, message }) => ({ reason, message, field })),
    },
  });
}

/** The error for an invalid query parameter or option, such as `dryRun`. */
export function invalidOptions(
  kind: 'ListOptions' | 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions',
  fields: readonly FieldError[],
): ApiError {
  return invalid({ kind, group: 'meta.k8s.io' }, '', fields);
}
