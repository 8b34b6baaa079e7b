import { describe, expect, test } from 'vitest';
import { ConfigurationError } from '../../operator/core/errors.ts';
import { configMaps, deployments } from '../../operator/model/builtin.ts';
import {
  apiVersionOf,
  collectionPath,
  defineResource,
  groupVersionPath,
  objectPath,
  resourceName,
} from '../../operator/model/resource.ts';

describe('paths', () => {
  test.each([
    [collectionPath(configMaps), '/api/v1/configmaps'],
    [collectionPath(configMaps, 'demo'), '/api/v1/namespaces/demo/configmaps'],
    [collectionPath(deployments, 'demo'), '/apis/apps/v1/namespaces/demo/deployments'],
    [
      objectPath(configMaps, { namespace: 'demo', name: 'a' }),
      '/api/v1/namespaces/demo/configmaps/a',
    ],
    [
      objectPath(deployments, { namespace: 'demo', name: 'a' }, 'status'),
      '/apis/apps/v1/namespaces/demo/deployments/a/status',
    ],
    [groupVersionPath(deployments), '/apis/apps/v1'],
  ])('%s', (path, expected) => {
    expect(path).toBe(expected);
  });

  test('escape what a name may hold but a path may not', () => {
    const roles = defineResource({
      group: 'rbac.authorization.k8s.io',
      version: 'v1',
      plural: 'clusterroles',
      kind: 'ClusterRole',
      namespaced: false,
    });

    const path = objectPath(roles, { name: 'system:a?b#c\\d e' });

    expect(path).toBe('/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Aa%3Fb%23c%5Cd%20e');
  });

  test.each([
    '',
    '.',
    '..',
    'a/b',
    '../secrets',
    '%2e%2e',
    'a%',
    '\ud800',
  ])('refuse %j wherever it stands', (text) => {
    const attempts = [
      (): string => collectionPath(configMaps, text),
      (): string => objectPath(configMaps, { namespace: text, name: 'a' }),
      (): string => objectPath(configMaps, { namespace: 'demo', name: text }),
      (): string => objectPath(configMaps, { namespace: 'demo', name: 'a' }, text),
    ];

    for (const attempt of attempts) expect(attempt).toThrow(ConfigurationError);
  });

  test('a name that only contains dots is a name', () => {
    expect(objectPath(configMaps, { namespace: 'demo', name: '...' })).toMatch(/\/\.\.\.$/);
  });
});

describe('names', () => {
  test('a group shows where there is one', () => {
    expect([apiVersionOf(configMaps), apiVersionOf(deployments)]).toEqual(['v1', 'apps/v1']);
    expect([resourceName(configMaps), resourceName(deployments)]).toEqual([
      'configmaps',
      'deployments.apps',
    ]);
  });
});
