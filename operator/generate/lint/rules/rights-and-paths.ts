import { pathOf, type RequestPath } from '../../../access/request-path.ts';
import type { Problem, Rule } from '../diagnostic.ts';
import type { Installation } from '../installation.ts';
import { argumentPath } from '../installation.ts';
import { homeOf, readable } from '../path-pattern.ts';
import {
  grantsOf,
  isGranted,
  isOpen,
  isRequested,
  type Right,
  requestsOf,
  rightsOf,
} from '../rights-and-paths.ts';

const GENERATE_BOTH = 'generate both from one declaration: `chancery generate manifests`';

export const openRights: Rule = {
  id: 'right-without-path',
  check: (installation) => {
    const rights = rightsOf(grantsOf(installation)).filter(isComparable);
    const closed = rights.filter((right) => !isOpen(right, installation));
    const byResource = Map.groupBy(closed, (right) => `${right.role} ${resourceOf(right)}`);
    return [...byResource.values()].flatMap(([right, ...more]): readonly Problem[] => {
      if (right === undefined) return [];
      const verbs = [right, ...more].map(({ verb }) => verb).join(', ');
      const here = { ...right, namespace: homeOf(installation) };
      const isTooWide = right.namespace === undefined && isOpen(here, installation);
      return [
        {
          object: right.role,
          path: 'rules',
          wrong: `grants ${verbs} of ${resourceOf(right)}${isTooWide ? ' in every namespace' : ''}`,
          why: isTooWide
            ? 'the filter opens it in one namespace only, so a Role there is enough'
            : 'the filter passes no such request, so it serves only a client that bypasses the filter',
          todo: GENERATE_BOTH,
        },
      ];
    });
  },
};

export const grantedPaths: Rule = {
  id: 'path-without-right',
  check: (installation) => {
    const grants = grantsOf(installation);
    // Without the roles there is nothing to compare. The rule `rbac-bound` reports missing roles.
    if (grants.length === 0 || grants.some(({ rules }) => rules === undefined)) return [];
    const rights = rightsOf(grants);
    const useless = readable(installation.accepted).flatMap((pattern) =>
      requestsOf(pattern).filter(
        (request) => !isEverybodys(request) && !isGranted(request, rights),
      ),
    );
    return useless.map((request) => ({
      path: acceptPathsOf(installation),
      wrong: `--accept-paths opens ${pathOf(request)}`,
      why: 'no role here grants it, so the filter is wider than what the operator may do',
      todo: GENERATE_BOTH,
    }));
  },
};

/**
 * True for a right that can be compared with the filter. Wildcards are checked by another rule.
 * Rights on `finalizers` are used only by admission plugins, and no request has such a path.
 */
function isComparable(right: Right): boolean {
  const { group, plural, subresource, verb } = right;
  if (!isRequested(right) && !verb.includes('*')) return false;
  return subresource !== 'finalizers' && ![group, plural, verb].some((word) => word.includes('*'));
}

/** Rights that Kubernetes grants to every authenticated user (`system:basic-user`). */
function isEverybodys({ group, plural }: RequestPath): boolean {
  return group === 'authorization.k8s.io' && plural.startsWith('selfsubject');
}

function resourceOf({ group, plural, subresource }: Right): string {
  const name = subresource === undefined ? plural : `${plural}/${subresource}`;
  return group === '' ? name : `${name}.${group}`;
}

function acceptPathsOf({ flags, proxy }: Installation): string {
  const flag = flags.values.get('accept-paths');
  return flag === undefined ? proxy.path : argumentPath(proxy, flag);
}
