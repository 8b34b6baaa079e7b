import { ApiError } from 'chancery';
import { type FieldSet, pathsOf } from '../fields/field-set.ts';
import { describePath } from '../fields/path-element.ts';
import type { Owner } from './managers.ts';

/** Fields that an apply would change and another manager owns. */
export interface OwnershipConflict {
  readonly owner: Owner;
  readonly fields: FieldSet;
}

/** 409 with one cause a field, in the server's words. */
export function applyConflict(conflicts: readonly OwnershipConflict[]): ApiError {
  const byManager = conflicts
    .map(({ owner, fields }) => ({
      manager: describeOwner(owner),
      fields: pathsOf(fields).map(describePath),
    }))
    .toSorted((left, right) => (left.manager < right.manager ? -1 : 1));
  const causes = byManager.flatMap(({ manager, fields }) =>
    fields.map((field) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${manager}`,
      field,
    })),
  );
  const [only] = causes;
  const message =
    causes.length === 1 && only !== undefined
      ? `Apply failed with 1 conflict: ${only.message}: ${only.field}`
      : `Apply failed with ${causes.length} conflicts: ${byManager.map(listed).join('\n')}`;
  return new ApiError({
    status: 'Failure',
    message,
    reason: 'Conflict',
    details: { causes },
    code: 409,
  });
}

function listed({ manager, fields }: { manager: string; fields: readonly string[] }): string {
  return [`conflicts with ${manager}:`, ...fields.map((field) => `- ${field}`)].join('\n');
}

function describeOwner({ manager, operation, apiVersion, subresource }: Owner): string {
  const within = subresource === '' ? '' : ` with subresource ${JSON.stringify(subresource)}`;
  const using = operation === 'Update' ? ` using ${apiVersion}` : '';
  return `${JSON.stringify(manager)}${within}${using}`;
}
