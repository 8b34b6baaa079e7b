import type { Access } from './access.ts';
import { mergeAccess } from './merge-access.ts';

/** The same as RBAC sees it: it knows no versions, and not why somebody asks. */
export function grantedAccess(accesses: readonly Access[]): readonly Access[] {
  return mergeAccess(
    accesses.map(({ unrequested: _, ...access }) => ({
      ...access,
      resource: { ...access.resource, version: '' },
    })),
  );
}
