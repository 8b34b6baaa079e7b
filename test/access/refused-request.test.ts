/** Why the filter refused a request: which declaration is there, and what of the request it does not have. */
import { describe, expect, test } from 'vitest';
import { refusedRequest } from '../../operator/access/filter/refused-request.ts';
import { requiredAccess } from '../../operator/access/required-access.ts';
import { controller } from '../../operator/controller/controller.ts';
import { source } from '../../operator/controller/source.ts';
import { configMaps, deployments, pods } from '../../operator/model/builtin.ts';
import { nodes, secrets, services } from '../../operator/model/kubernetes/resources.ts';
import type { Resource } from '../../operator/model/resource.ts';
import type { CustomResource } from '../../operator/schema/custom-resource.ts';

const shop = controller({
  name: 'shop',
  for: source(configMaps),
  owns: [deployments as Resource],
  permissions: [
    { resource: secrets as Resource, resourceNames: ['key'], verbs: ['get'] },
    { resource: pods as Resource, subresource: 'eviction', verbs: ['create'] },
    {
      resource: pods as Resource,
      subresource: 'binding',
      resourceNames: ['last'],
      verbs: ['create'],
    },
    { resource: services as Resource, resourceNames: ['front'], verbs: ['create', 'patch'] },
    { resource: nodes as Resource, verbs: ['get'] },
  ],
  reconcile: async () => {},
});

/** A controller of a resource that came with its definition, which has these subresources. */
function shopsOf(subresources: object | undefined) {
  const names = { plural: 'shops', singular: 'shop', kind: 'Shop', listKind: 'ShopList' };
  const schema = { openAPIV3Schema: { type: 'object' } };
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'shops.example.dev' },
    spec: {
      group: 'example.dev',
      names,
      scope: 'Namespaced',
      versions: [
        { name: 'v1beta1', served: true, storage: false, schema, subresources: { status: {} } },
        { name: 'v1', served: true, storage: true, schema, subresources },
      ],
    },
  } as unknown as CustomResource['definition'];
  const resource = {
    ...{ group: 'example.dev', version: 'v1', plural: 'shops', kind: 'Shop', namespaced: true },
    definition,
  };
  return controller({ name: 'shops', for: source(resource), reconcile: async () => {} });
}

const why = (method: string, path: string) =>
  refusedRequest(
    requiredAccess([shop], {
      namespaces: ['left', 'right'],
      leaderElection: { namespace: 'home', leaseName: 'shop' },
    }),
    { method, path },
  );

describe('[found 15] a refused request is explained by the first of its properties that matches no declaration', () => {
  test.each([
    [
      'GET',
      '/apis/apps/v1beta1/namespaces/left/deployments/a',
      'deployments.apps is declared in v1, and not in v1beta1',
    ],
    [
      'PATCH',
      '/apis/apps/v1/namespaces/left/deployments/a/scale',
      "deployments.apps is declared, and its subresource scale is not: add a permission with subresource: 'scale'",
    ],
    ['GET', '/api/v1/namespaces/left/pods/a', 'of pods only binding, eviction is declared'],
    [
      'PATCH',
      '/apis/apps/v1/namespaces/middle/deployments/a',
      "deployments.apps is declared in namespace left, right, and not in middle: add it to the watched namespaces (WATCH_NAMESPACE), or to a permission as namespaces: ['middle']",
    ],
    [
      'GET',
      '/apis/apps/v1/deployments',
      'deployments.apps is declared in namespace left, right, and the request is for all namespaces: name one, or watch all namespaces',
    ],
    [
      'GET',
      '/api/v1/namespaces/left/secrets/other',
      'of secrets only the names key are declared, and not other',
    ],
    ['PUT', '/api/v1/namespaces/left/secrets/key', 'of secrets get is declared, and not update'],
    ['GET', '/api/v1/nodes', 'of nodes get is declared, and not list or watch'],
    ['DELETE', '/api/v1/nodes/a', 'of nodes get is declared, and not delete'],
    [
      'PUT',
      '/apis/coordination.k8s.io/v1/namespaces/home/leases/other',
      'of leases.coordination.k8s.io only the names shop are declared, and not other',
    ],
    [
      'POST',
      '/api/v1/namespaces/left/services',
      'of services only the names front are declared, and a POST has no name in its path: create the object by server-side apply',
    ],
    [
      'POST',
      '/api/v1/namespaces/left/pods/last/binding',
      'pods is declared (controller shop: permission): the arguments of the proxy are older than the declaration, or were made for other namespaces',
    ],
    [
      'PATCH',
      '/apis/apps/v1/namespaces/right/deployments/a',
      'deployments.apps is declared (controller shop: owns): the arguments of the proxy are older than the declaration, or were made for other namespaces',
    ],
  ])('a refused %s %s is explained by the first of its properties that matches no declaration', (method, path, expected) => {
    expect(why(method, path)).toBe(expected);
  });

  test.each([
    [
      undefined,
      'the definition of shops.example.dev has no status subresource in v1: add "subresources: { status: {} }" to that version, and install the definition',
    ],
    [
      { scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
      'the definition of shops.example.dev has no status subresource in v1: add "subresources: { status: {} }" to that version, and install the definition',
    ],
    [
      { status: {} },
      'shops.example.dev is declared (controller shops: status): the arguments of the proxy are older than the declaration, or were made for other namespaces',
    ],
  ])('the explanation of a refused status request, if the definition has the subresources %j', (subresources, expected) => {
    const access = requiredAccess([shopsOf(subresources)], { namespaces: ['left'] });
    const path = '/apis/example.dev/v1/namespaces/left/shops/a/status';

    expect(refusedRequest(access, { method: 'PATCH', path })).toBe(expected);
  });

  test('the explanation of a refused request mentions no namespace if all namespaces are declared', () => {
    const everywhere = requiredAccess([shop], { namespaces: undefined });
    const path = '/apis/apps/v1/namespaces/middle/deployments/a';

    expect(refusedRequest(everywhere, { method: 'PATCH', path })).toContain('older than');
  });

  test.each([
    ['GET', '/api/v1/namespaces/left/endpoints/a'],
    ['GET', '/version'],
    ['GET', '/apis/apps/v1'],
  ])('a refused request of %s %s has no explanation', (method, path) => {
    expect(why(method, path)).toBeUndefined();
  });
});
