/** The lint and the generators agree: what is generated from one declaration has no diagnostic. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { proxyArguments, proxyFilter } from '../../../operator/access/filter/proxy-filter.ts';
import { rbac } from '../../../operator/access/rbac.ts';
import { controller } from '../../../operator/controller/controller.ts';
import { source } from '../../../operator/controller/source.ts';
import { lint } from '../../../operator/generate/lint/lint.ts';
import { configMaps } from '../../../operator/model/builtin.ts';
import type { KubernetesObject } from '../../../operator/model/object.ts';
import { defineResource } from '../../../operator/model/resource.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { type Declaration, declarations } from '../support/declarations.ts';
import { plain } from './good.ts';

const own = { name: 'op', serviceAccount: { name: 'op', namespace: 'home' } };

/** The good Deployment in the namespace `home`, with filter and roles of a declaration. */
function manifestsOf(
  { controllers, placement }: Declaration,
  filterOf: Declaration = { controllers, placement },
): readonly KubernetesObject[] {
  const filter = proxyFilter(filterOf.controllers, filterOf.placement);
  const deployment = plain()
    .set('Deployment.metadata.namespace', 'home')
    .set('proxy.args', proxyArguments(filter))
    .get('Deployment');
  const roles = rbac(controllers, { ...placement, ...own });
  return [deployment as KubernetesObject, ...roles];
}

test('the roles and the filter generated from the same declaration cause no diagnostic', () => {
  fc.assert(
    fc.property(declarations, (declaration) => {
      expect(lint(manifestsOf(declaration))).toEqual([]);
    }),
    propertyRuns(),
  );
});

test('permission to create all objects in one version also allows a path with a name in another version', () => {
  const version = (name: string) =>
    defineResource({
      group: 'shop.example',
      version: name,
      plural: 'orders',
      kind: 'Order',
      namespaced: true,
    });
  const declared = controller({
    name: 'shop',
    for: source(configMaps),
    owns: [source(version('v1'), { fieldSelector: 'metadata.name=first' })],
    permissions: [{ resource: version('v2'), resourceNames: ['second'], verbs: ['create'] }],
    reconcile: async () => {},
  });
  const declaration = { controllers: [declared], placement: { namespaces: ['demo'] } };

  const { acceptPaths } = proxyFilter(declaration.controllers, declaration.placement);
  expect(acceptPaths).toContain('^/apis/shop[.]example/v2/namespaces/demo/orders/second$');
  expect(lint(manifestsOf(declaration))).toEqual([]);
});

test('lint reports permissions without a path, and paths without a permission', () => {
  let found = 0;
  fc.assert(
    fc.property(declarations, declarations, (mine, other) => {
      const rules = lint(manifestsOf(mine, other)).map(({ rule }) => rule);

      expect(
        rules.filter((rule) => !/^(?:right-without-path|path-without-right)$/.test(rule)),
      ).toEqual([]);
      if (rules.length > 0) found++;
    }),
  );
  expect(found).toBeGreaterThan(0.9 * propertyRuns().numRuns); // the rest are alike
});
