/**
 * The filter and the roles come from one declaration: what it needs is granted and gets through; what
 * gets through is granted, or is told of by `openedBeyondRights`. Rights are judged by the rules of the
 * embedded server; `filter-on-kubectl.test.ts` has some of the same declarations on a real kubectl.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { filterProblems } from '../../operator/access/filter/filter-problems.ts';
import {
  type OpenedRequests,
  openedBeyondRights,
} from '../../operator/access/filter/opened-beyond-rights.ts';
import { proxyArguments, proxyFilter } from '../../operator/access/filter/proxy-filter.ts';
import { rbac } from '../../operator/access/rbac.ts';
import { accessOf } from '../../operator/access/required-access.ts';
import { describeRights, uncovered } from '../../testing/src/apiserver/auth/rule-coverage.ts';
import { type Declaration, declarations } from '../generate/support/declarations.ts';
import { neededRequests } from '../generate/support/needed-requests.ts';
import {
  accessOfRequest,
  inPod,
  PATHS,
  PodFilter,
  type Request,
  Rights,
  requestsTo,
} from '../generate/support/requests.ts';

const own = { name: 'a', serviceAccount: { name: 'a', namespace: 'home' } };

function generated({ controllers, placement }: Declaration) {
  return {
    filter: new PodFilter(proxyFilter(controllers, placement)),
    rights: new Rights(rbac(controllers, { ...placement, ...own })),
    beyond: openedBeyondRights(controllers, placement).map((told) => new Told(told)),
  };
}

/** What of our many requests passes. */
function passing(filter: PodFilter): readonly Request[] {
  const paths = PATHS.filter((path) => filter.passesPath(path));
  return paths.flatMap(requestsTo).filter((request) => filter.passes(request));
}

test('[security 15] everything that a declaration needs is granted by the roles and passes the filter', () => {
  fc.assert(
    fc.property(declarations, (declaration) => {
      const { filter, rights } = generated(declaration);
      const needed = neededRequests(declaration);
      const sent = needed.filter(({ isApply }) => isApply !== true);

      expect(needed.filter((request) => !rights.grants(request))).toEqual([]);
      expect(sent.filter((request) => !filter.passes(request))).toEqual([]);
    }),
  );
});

test('the roles grant exactly what is declared for each namespace, and for the cluster', () => {
  fc.assert(
    fc.property(declarations, ({ controllers, placement }) => {
      const objects = rbac(controllers, { ...placement, ...own });
      const rights = new Rights(objects);
      const accesses = accessOf(controllers, placement).map((access) => ({
        place: access.namespace === '$(POD_NAMESPACE)' ? 'home' : (access.namespace ?? ''),
        rule: {
          verbs: access.verbs,
          apiGroups: [access.resource.group],
          resources: [[access.resource.plural, access.subresource].filter(Boolean).join('/')],
          ...(access.resourceNames && { resourceNames: access.resourceNames }),
        },
      }));
      const places = ['', 'home', 'demo', 'shared', 'default'];
      const declaredIn = (place: string) =>
        accesses.filter((access) => ['', place].includes(access.place)).map(({ rule }) => rule);

      const missing = places.map((place) => uncovered(rights.rulesIn(place), declaredIn(place)));
      const surplus = places.map((place) => uncovered(declaredIn(place), rights.rulesIn(place)));

      expect(missing.map(describeRights)).toEqual(places.map(() => ''));
      expect(surplus.map(describeRights)).toEqual(places.map(() => ''));
    }),
  );
});

test('[security 15] each request that passes the filter is granted, or reported as not granted', () => {
  fc.assert(
    fc.property(declarations, (declaration) => {
      const { filter, rights, beyond } = generated(declaration);

      const untold = passing(filter).filter(
        (request) => !rights.grants(request) && !beyond.some((told) => told.means(request)),
      );
      expect(untold).toEqual([]);
    }),
  );
});

test('each request that is reported as not granted passes the filter, and the roles do not grant it', () => {
  fc.assert(
    fc.property(declarations, (declaration) => {
      const { filter, rights, beyond } = generated(declaration);
      const requests = passing(filter);

      for (const told of beyond) {
        const meant = requests.filter((request) => told.means(request));
        const granted = meant.filter((request) => rights.grants(request));
        expect(granted.length, told.text).toBeLessThan(meant.length);
        if (!told.isMixed) expect(granted, told.text).toEqual([]);
      }
    }),
  );
});

/** One entry of what is told. */
class Told {
  readonly text: string;
  /** The query decides, or the namespace: a path in every one is told of when some do not grant it. */
  readonly isMixed: boolean;
  readonly #path: RegExp;
  readonly #methods: readonly string[];
  readonly #grantedNames: readonly string[];

  constructor(opened: OpenedRequests) {
    this.text = JSON.stringify(opened);
    this.isMixed = opened.because === 'query' || opened.path.includes('/namespaces/[');
    this.#path = inPod(opened.path);
    this.#methods = opened.methods;
    this.#grantedNames = opened.grantedNames;
  }

  means(request: Request): boolean {
    if (!this.#methods.includes(request.method) || !this.#path.test(request.path)) return false;
    const access = accessOfRequest(request);
    return !('name' in access && this.#grantedNames.includes(access.name));
  }
}

test('no generated filter has a problem, and each accept pattern matches one path', () => {
  fc.assert(
    fc.property(declarations, ({ controllers, placement }) => {
      const filter = proxyFilter(controllers, placement);

      const unbound = filter.acceptPaths.filter((each) => !/^\^\/[^,{} .^]*\$$/.test(bare(each)));
      expect(filterProblems(filter)).toEqual([]);
      expect(unbound).toEqual([]);
    }),
  );
});

/** Without what a dot and an anchor are allowed in. */
function bare(pattern: string): string {
  return `^${pattern
    .slice(1)
    .replaceAll('$(POD_NAMESPACE)', 'x')
    .replaceAll(/\[[^\]^]*\]/g, 'x')}`;
}

/** Ways to write another path behind a name. */
const TRICKS = ['.', '..', '', '%2e%2e', '%2F', 'a/b', 'a\\b', 'A B', 'a\n', 'a?b', 'a;b', '*'];

test('[security 12] a path with an attack string in place of a name does not pass the filter', () => {
  fc.assert(
    fc.property(declarations, (declaration) => {
      const { filter } = generated(declaration);
      const paths = PATHS.filter((path) => filter.passesPath(path));

      const tricked = paths.flatMap((path) =>
        path
          .split('/')
          .flatMap((segment, at, segments) =>
            TRICKS.map((trick) => segments.with(at, trick).join('/')).filter(
              (one) => segment !== '' && filter.passesPath(one),
            ),
          ),
      );
      expect(tricked).toEqual([]);
      expect(paths.filter((path) => filter.passesPath(`${path}/`))).toEqual([]);
      expect(paths.filter((path) => filter.passesPath(`/x${path}`))).toEqual([]);
    }),
  );
});

test('the order of declarations does not change the text of the filter', () => {
  fc.assert(
    fc.property(declarations, ({ controllers, placement }) => {
      const { leaderElection, namespaces } = placement;
      // The name of a Lease is made of the order, if nobody gives one.
      const elected = { ...leaderElection, leaseName: 'chosen' } as typeof leaderElection;
      const given = { ...placement, ...(leaderElection && { leaderElection: elected }) };
      const turned = {
        placement: { ...given, namespaces: namespaces?.toReversed() },
        controllers: controllers.toReversed().map((each) => ({
          ...each,
          owns: each.owns.toReversed(),
          watches: each.watches.toReversed(),
          permissions: each.permissions.toReversed().map((permission) => ({
            ...permission,
            verbs: permission.verbs.toReversed(),
            ...(permission.resourceNames && {
              resourceNames: permission.resourceNames.toReversed(),
            }),
          })),
        })),
      };

      expect(textOf(turned)).toBe(textOf({ controllers, placement: given }));
    }),
  );
});

function textOf({ controllers, placement }: Declaration): string {
  return JSON.stringify(
    [
      proxyArguments(proxyFilter(controllers, placement)),
      rbac(controllers, { ...placement, ...own }),
      openedBeyondRights(controllers, placement),
    ],
    undefined,
    1,
  );
}
