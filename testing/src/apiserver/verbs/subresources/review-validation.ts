import { type FieldError, invalid } from '../../failures/invalid.ts';
import { isObject, type Json } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';

const GROUP = 'authorization.k8s.io';

/** @throws ApiError 422 for a question about rights that asks for nothing, or for two things. */
export function refuseBadReview(review: StoredObject): void {
  if (!review.kind.endsWith('AccessReview')) return;
  const spec = isObject(review.spec) ? review.spec : {};
  const problems = [
    ...attributeProblems(spec),
    ...(review.kind === 'SelfSubjectAccessReview' ? [] : subjectProblems(spec)),
    ...(review.kind === 'LocalSubjectAccessReview' ? placeProblems(spec, review.metadata) : []),
  ];
  const name = review.metadata.name ?? '';
  if (problems.length > 0) throw invalid({ kind: review.kind, group: GROUP }, name, problems);
}

function attributeProblems({ resourceAttributes, nonResourceAttributes }: Json): FieldError[] {
  const [resource, path] = [isObject(resourceAttributes), isObject(nonResourceAttributes)];
  if (resource && path) {
    const shown = JSON.stringify(nonResourceAttributes);
    return [
      problem(
        'nonResourceAttributes',
        shown,
        'cannot be specified in combination with resourceAttributes',
      ),
    ];
  }
  if (resource || path) return [];
  return [
    problem(
      'resourceAttributes',
      'null',
      'exactly one of nonResourceAttributes or resourceAttributes must be specified',
    ),
  ];
}

function subjectProblems({ user, groups }: Json): FieldError[] {
  const some =
    (typeof user === 'string' && user !== '') || (Array.isArray(groups) && groups.length > 0);
  return some ? [] : [problem('user', '""', 'at least one of user or group must be specified')];
}

function placeProblems(
  { resourceAttributes, nonResourceAttributes }: Json,
  metadata: StoredObject['metadata'],
): FieldError[] {
  const { namespace } = isObject(resourceAttributes) ? resourceAttributes : {};
  return [
    ...(isObject(resourceAttributes) && namespace !== metadata.namespace
      ? [
          problem(
            'resourceAttributes.namespace',
            JSON.stringify(namespace ?? ''),
            'must match metadata.namespace',
          ),
        ]
      : []),
    ...(isObject(nonResourceAttributes)
      ? [
          problem(
            'nonResourceAttributes',
            JSON.stringify(nonResourceAttributes),
            'disallowed on this kind of request',
          ),
        ]
      : []),
  ];
}

function problem(field: string, value: string, why: string): FieldError {
  const message = `Invalid value: ${value}: ${why}`;
  return { field: `spec.${field}`, reason: 'FieldValueInvalid', message };
}
