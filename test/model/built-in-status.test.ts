import { expect, test } from 'vitest';
import { builtInHasStatus } from '../../operator/model/built-in-status.ts';
import { defineResource, resourceName } from '../../operator/model/resource.ts';
import { BUILT_IN_RESOURCES } from '../../testing/src/apiserver/registry/built-in-resources.ts';

test('builtInHasStatus agrees with discovery for every built-in resource', () => {
  const names = (of: typeof BUILT_IN_RESOURCES) => [...new Set(of.map(resourceName))].sort();
  const withStatus = BUILT_IN_RESOURCES.filter(({ subresources }) =>
    subresources.some(({ name }) => name === 'status'),
  );

  const found = BUILT_IN_RESOURCES.filter((resource) => builtInHasStatus(resource) === true);

  expect(names(found)).toEqual(names(withStatus));
  expect(found.length).toBeLessThan(BUILT_IN_RESOURCES.length);
});

test('builtInHasStatus is undefined for a resource of another group', () => {
  const names = { group: 'apps.example', version: 'v1', plural: 'deployments', kind: 'Deployment' };

  expect(builtInHasStatus(defineResource({ ...names, namespaced: true }))).toBeUndefined();
});
