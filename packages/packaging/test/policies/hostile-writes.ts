/** Writes that no code of the operator makes, and that RBAC lets it make. */
import type { Uids, Write } from './garden.ts';
import { bedChildren, deployments, marked } from './hostile/children.ts';
import { events, managers, parents } from './hostile/parents.ts';
import { shared } from './hostile/shared.ts';
import { undeclared } from './hostile/undeclared.ts';

/** All of them. The uids of owners are known when the cluster runs. */
export function hostileWrites(uids: Uids): readonly Write[] {
  return [
    ...deployments(uids),
    ...bedChildren(uids),
    ...marked(uids),
    ...shared(uids),
    ...parents(),
    ...undeclared(),
    ...managers(uids),
    ...events(),
  ];
}
