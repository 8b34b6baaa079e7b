/** Whole manifests of operators of every kind: their roles and their filter agree, and no two objects have one name. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type {
  AccessDeclaration,
  Declared,
} from '../../../operator/controller/access-declaration.ts';
import type { Permission } from '../../../operator/controller/controller.ts';
import { source } from '../../../operator/controller/source.ts';
import { lint } from '../../../operator/generate/lint/lint.ts';
import { operatorModel } from '../../../operator/generate/manifests/operator-model.ts';
import { renderedObjects } from '../../../operator/generate/manifests/rendered-objects.ts';
import { namespaces, nodes } from '../../../operator/model/kubernetes/resources.ts';
import type { Resource } from '../../../operator/model/resource.ts';
import { options } from '../../manifests/support/trees.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { declarations, permissions, sources } from '../support/declarations.ts';

const SCOPES = ['namespaced', 'cluster-scoped'] as const;

/** A creation by name is server-side apply: without a right to patch it can never be made, and the lint says so. */
function isUsable({ resourceNames, verbs }: Permission): boolean {
  return resourceNames === undefined || !verbs.includes('create') || verbs.includes('patch');
}

/** What hooks and Metacontroller's controllers declare. */
const accesses: fc.Arbitrary<AccessDeclaration> = fc.record({
  name: fc.constant('hooks'),
  sources: fc.array(
    fc.oneof(sources, fc.constantFrom(source(namespaces as Resource), source(nodes as Resource))),
    { maxLength: 2 },
  ),
  permissions: fc.array(
    fc.oneof(
      permissions,
      fc.constantFrom(
        { resource: namespaces as Resource, subresource: 'status', verbs: ['patch'] as const },
        { resource: namespaces as Resource, subresource: 'finalize', verbs: ['update'] as const },
      ),
    ),
    { maxLength: 2 },
  ),
  recordsEvents: fc.boolean(),
});

const declared: fc.Arbitrary<readonly Declared[]> = fc
  .tuple(declarations, fc.array(accesses, { maxLength: 2 }))
  .map(([{ controllers }, others]) => (others.length > 0 ? others : controllers))
  .filter((each) => each.every(({ permissions: all = [] }) => all.every(isUsable)));

const settings = fc.record({
  namespace: fc.constantFrom('op', 'default', 'shared'),
  leaderElection: fc.boolean(),
  installCrds: fc.boolean(),
});

test('[found 10] in generated manifests roles and filter match, and no two objects have the same name', () => {
  fc.assert(
    fc.property(declared, settings, fc.constantFrom(...SCOPES), (each, changed, scope) => {
      const model = operatorModel(each, options({ name: 'op', ...changed }));
      // The definitions of these resources are no more than a name.
      const objects = renderedObjects(model, { scope }).filter(({ kind }) => kind !== undefined);

      const found = lint(objects).filter(({ rule }) => /right|path/.test(rule));
      expect(found).toEqual([]);
      const names = objects.map(({ kind, metadata }) =>
        [kind, metadata.namespace ?? '', metadata.name].join('/'),
      );
      expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
    }),
    propertyRuns(),
  );
});

test.each(
  SCOPES,
)('[found 10] for cluster-scoped kinds the roles and the filter both allow Events (%s)', (scope) => {
  const only: AccessDeclaration = { name: 'decorator', sources: [source(nodes as Resource)] };
  const model = operatorModel([only], options({ name: 'op', namespace: 'op' }));
  const roles = renderedObjects(model, { scope }).filter(({ kind }) => kind === 'Role');
  const onEvents = roles.flatMap((role) =>
    (role as unknown as { rules: { resources: string[]; verbs: string[] }[] }).rules
      .filter(({ resources }) => resources.includes('events'))
      .map(({ verbs }) => [role.metadata.namespace, verbs.join()]),
  );

  expect(onEvents).toEqual([
    ['op', 'create,patch'],
    ['default', 'create,patch'],
  ]);
  expect(lint(renderedObjects(model, { scope })).filter(({ rule }) => /path/.test(rule))).toEqual(
    [],
  );
});
