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
  ])('the path of a resource is %s', (path, expected) => {
    expect(path).toBe(expected);
  });

  test('a path escapes special characters of a name', () => {
    const roles = defineResource({
      group: 'rbac.authorization.k8s.io',
      version: 'v1',
      plural: 'clusterroles',
      kind: 'ClusterRole',
      namespaced: false,
    });

    const path = objectPath(roles, { name: 'system:a?b#c e' });

    expect(path).toBe('/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Aa%3Fb%23c%20e');
  });

  test.each([
    '',
    '.',
    '..',
    'a/b',
    '../secrets',
    '%2e%2e',
    'a%',
    'a\\b',
    '..\\secrets',
    'a\nb',
    'a\0',
    '\u007f',
    'a\u0085b',
    'a\u2028b',
    '\ud800',
    'a'.repeat(1_025),
  ])('a path refuses %j as namespace, name or subresource', (text) => {
    const attempts = [
      (): string => collectionPath(configMaps, text),
      (): string => objectPath(configMaps, { namespace: text, name: 'a' }),
      (): string => objectPath(configMaps, { namespace: 'demo', name: text }),
      (): string => objectPath(configMaps, { namespace: 'demo', name: 'a' }, text),
    ];

    for (const attempt of attempts) expect(attempt).toThrow(ConfigurationError);
  });

  test.each([
    '.',
    '..',
    'a/b',
    'v1/../v2',
    'a%2fb',
    'a\\b',
    'a b',
    'a\n',
    'V1',
    'a?b',
    'a..b',
    '-a',
    'a'.repeat(254),
  ])('a path refuses %j as group, version or plural', (text) => {
    const shown = text.slice(0, 64);

    for (const what of ['group', 'version', 'plural']) {
      const resource = defineResource({ ...deployments, [what]: text });
      const refusal = expect.objectContaining({ code: 'CONFIG', context: { [what]: shown } });
      expect(() => collectionPath(resource)).toThrow(refusal);
      expect(() => objectPath(resource, { namespace: 'demo', name: 'a' })).toThrow(refusal);
    }
  });

  test('a path accepts an empty group, but no empty version or plural', () => {
    for (const what of ['version', 'plural']) {
      expect(() => collectionPath(defineResource({ ...configMaps, [what]: '' }))).toThrow(
        ConfigurationError,
      );
    }
  });

  test('a path accepts the longest name that RBAC allows', () => {
    expect(objectPath(configMaps, { namespace: 'demo', name: 'a'.repeat(1_024) })).toHaveLength(
      1_024 + '/api/v1/namespaces/demo/configmaps/'.length,
    );
  });

  test('a path accepts a name of three dots', () => {
    expect(objectPath(configMaps, { namespace: 'demo', name: '...' })).toMatch(/\/\.\.\.$/);
  });
});

describe('names', () => {
  test('the name of a resource contains the group when there is one', () => {
    expect([apiVersionOf(configMaps), apiVersionOf(deployments)]).toEqual(['v1', 'apps/v1']);
    expect([resourceName(configMaps), resourceName(deployments)]).toEqual([
      'configmaps',
      'deployments.apps',
    ]);
  });
});
