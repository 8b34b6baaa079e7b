/** What declarations require is derived once for each scope, and every output is made of that. */
import { expect, test } from 'vitest';
import { AccessByScope } from '../../operator/access/access-by-scope.ts';
import { proxyArguments, proxyFilter } from '../../operator/access/filter/proxy-filter.ts';
import { POD_NAMESPACE } from '../../operator/access/placement.ts';
import { accessOf } from '../../operator/access/required-access.ts';
import type { AccessDeclaration } from '../../operator/controller/access-declaration.ts';
import { source } from '../../operator/controller/source.ts';
import { operatorManifests } from '../../operator/generate/manifests/operator-manifests.ts';
import { operatorModel } from '../../operator/generate/manifests/operator-model.ts';
import { configMaps, leases } from '../../operator/model/builtin.ts';
import { namespaces, secrets } from '../../operator/model/kubernetes/resources.ts';
import { chartFiles } from '../../packages/packaging/src/chart/chart.ts';
import { options } from '../manifests/support/trees.ts';

/** A declaration, and how often its access was derived. */
function counted(): { readonly declared: AccessDeclaration; readonly derived: () => number } {
  let derived = 0;
  const declared: AccessDeclaration = {
    name: 'tidy',
    sources: [source(configMaps), source(namespaces)],
    get permissions() {
      derived++;
      return [{ resource: secrets, verbs: ['get'] as const, resourceNames: ['key'] }];
    },
  };
  return { declared, derived: () => derived };
}

test.each([
  [undefined],
  [['shop']],
  [['shop', 'farm']],
  [[POD_NAMESPACE]],
])('for the namespaces %j, AccessByScope returns the same access as accessOf', (places) => {
  const { declared } = counted();
  const election = { leaderElection: { namespace: 'shop', leaseName: 'tidy-leader' } };
  const access = new AccessByScope([declared], false);

  expect(access.within(places)).toEqual(accessOf([declared], { namespaces: places }));
  expect(access.withElection(places, election)).toEqual(
    accessOf([declared], { namespaces: places, ...election }),
  );
  expect(access.withElection(places, {})).toEqual(access.within(places));
});

test('leader election without controllers needs access to its Lease and its Events, in one namespace', () => {
  const access = new AccessByScope([counted().declared], false);

  const rules = access.ofElection({ leaderElection: { namespace: 'ops', leaseName: 'us' } });

  expect([...new Set(rules.map(({ namespace }) => namespace))]).toEqual(['ops']);
  expect(rules.filter(({ resource }) => resource === leases)).toMatchObject([
    { verbs: ['create'] },
    { verbs: ['get', 'update'], resourceNames: ['us'] },
  ]);
  expect(access.ofElection({})).toEqual([]);
});

test('the access for the same scope is computed only once', () => {
  const { declared, derived } = counted();
  const access = new AccessByScope([declared], false);

  for (const places of [['a'], undefined, ['a'], ['a', 'b'], undefined]) access.within(places);

  expect(derived()).toBe(3);
});

test('generating manifests computes the access once for each of the two scopes', () => {
  const { declared, derived } = counted();

  operatorManifests([declared], options({ name: 'tidy', namespace: 'tidy' }));

  expect(derived()).toBe(2);
});

test('generating a chart computes the access two more times, because a chart value sets the namespaces', () => {
  const { declared, derived } = counted();
  const model = operatorModel([declared], options({ name: 'tidy', namespace: 'tidy' }));
  const before = derived();

  // Its placeholders may stand in no declaration: one more reading looks for them.
  chartFiles(model, { version: '1.0.0', description: 'Tidies.' } as never, { command: 'chancery' });

  expect([before, derived() - before]).toEqual([2, 2]);
});

test('an invalid object name is refused in every scope, and so is an empty list of namespaces', () => {
  const named = { ...counted().declared, permissions: undefined };
  const wrong: AccessDeclaration = {
    ...(named as unknown as AccessDeclaration),
    permissions: [{ resource: secrets, verbs: ['get'], resourceNames: ['../x'] }],
  };

  expect(() => new AccessByScope([wrong], false).within(['a'])).toThrow(/can have a declared name/);
  expect(() => new AccessByScope([wrong], false).within(undefined)).toThrow(
    /can have a declared name/,
  );
  expect(() => new AccessByScope([counted().declared], false).within([])).toThrow(
    /namespaces is empty/,
  );
});

test('manifests contain the path filter that results from the declarations for the same scope', () => {
  const { declared } = counted();
  const own = options({ name: 'tidy', namespace: 'tidy' });
  const { scopes } = operatorModel([declared], own);
  const leaderElection = { namespace: POD_NAMESPACE, leaseName: 'tidy-leader' };

  const argumentsIn = (namespaces: readonly string[] | undefined) =>
    proxyArguments(proxyFilter([declared], { namespaces, leaderElection }));
  expect(scopes['cluster-scoped'].proxyArguments).toEqual(argumentsIn(undefined));
  expect(scopes.namespaced.proxyArguments).toEqual(argumentsIn([POD_NAMESPACE]));
});
