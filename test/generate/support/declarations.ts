import fc from 'fast-check';
import { METHOD_OF, VERBS, type Verb } from '../../../operator/access/merge-access.ts';
import { type Placement, POD_NAMESPACE } from '../../../operator/access/placement.ts';
import {
  type Controller,
  controller,
  type Permission,
} from '../../../operator/controller/controller.ts';
import { type Source, source } from '../../../operator/controller/source.ts';
import { defineResource, type Resource, resourceName } from '../../../operator/model/resource.ts';

function resource(group: string, version: string, plural: string, namespaced = true): Resource {
  return defineResource({ group, version, plural, kind: plural, namespaced });
}

/** One with a status, whose definition the operator brings along. */
function defined(plain: Resource): Resource {
  const definition = { metadata: { name: resourceName(plain) }, spec: {} };
  return Object.freeze({ ...plain, hasStatus: true, definition });
}

/** Two groups that differ in a dot, two versions of one resource, names with and without a grammar. */
export const RESOURCES: readonly Resource[] = [
  resource('', 'v1', 'configmaps'),
  resource('apps', 'v1', 'deployments'),
  defined(resource('a.example', 'v1', 'things')),
  resource('a.example', 'v1beta1', 'things'),
  resource('axexample', 'v1', 'things'),
  resource('', 'v1', 'nodes', false),
  resource('rbac.authorization.k8s.io', 'v1', 'clusterroles', false),
];

/** `home` is where the Pod is; of `else` nobody speaks. */
export const NAMESPACES: readonly string[] = ['demo', 'shared', 'home', 'default', 'else'];

/** Of objects; every resource allows them. Of `web-a-1` nobody speaks. */
export const NAMES: readonly string[] = ['web', 'web.a-1', 'web-a-1', 'a-leader', 'chosen'];

const names = fc.uniqueArray(fc.constantFrom('web', 'web.a-1', 'chosen'), {
  minLength: 1,
  maxLength: 3,
});

export const sources: fc.Arbitrary<Source> = fc
  .record({
    resource: fc.constantFrom(...RESOURCES),
    namespace: fc.constantFrom('configured' as const, 'all' as const, { name: 'shared' }),
    fieldSelector: fc.constantFrom(
      undefined,
      undefined,
      'metadata.name=web',
      'spec.x=y,metadata.name==web.a-1',
      'metadata.name!=web',
    ),
    onUnserved: fc.constantFrom('retain' as const, 'clear' as const),
  })
  .map(({ resource, fieldSelector, ...options }) =>
    source(resource, { ...options, ...(fieldSelector !== undefined && { fieldSelector }) }),
  );

/** The others need names, and are checked of few resources. */
const REQUESTED: readonly Verb[] = VERBS.filter((verb) => Object.hasOwn(METHOD_OF, verb));

/** A subresource is one of one object: nothing lists or watches it. */
const SUBRESOURCE_VERBS: readonly Verb[] = REQUESTED.filter(
  (verb) => verb !== 'list' && verb !== 'watch',
);

export const permissions: fc.Arbitrary<Permission> = fc
  .record({
    resource: fc.constantFrom(...RESOURCES),
    subresource: fc.constantFrom(undefined, undefined, 'status', 'scale', 'finalizers'),
    verbs: someOf(REQUESTED),
    ofSubresource: someOf(SUBRESOURCE_VERBS),
    resourceNames: fc.option(names, { nil: undefined }),
  })
  .map(({ resource, subresource, verbs, ofSubresource, resourceNames }) => ({
    resource,
    ...(subresource !== undefined && { subresource }),
    verbs: subresource === undefined ? verbs : ofSubresource,
    ...(resourceNames !== undefined && { resourceNames }),
  }));

function someOf(verbs: readonly Verb[]): fc.Arbitrary<Verb[]> {
  return fc.uniqueArray(fc.constantFrom(...verbs), { minLength: 1 });
}

const controllers: fc.Arbitrary<Controller> = fc
  .record({
    root: sources,
    owns: fc.array(sources, { maxLength: 1 }),
    watches: fc.array(sources, { maxLength: 1 }),
    permissions: fc.array(permissions, { maxLength: 3 }),
    finalizes: fc.boolean(),
    name: fc.constantFrom('a', 'b'),
    needsLeaderElection: fc.boolean(),
  })
  .map(({ root, owns, watches, finalizes, ...rest }) =>
    controller({
      for: root,
      owns,
      watches: watches.map((each) => ({ source: each, map: () => [] })),
      ...(finalizes && { finalizer: { name: 'a.example/end', finalize: async () => {} } }),
      ...rest,
      reconcile: async () => {},
    }),
  );

const placements: fc.Arbitrary<Placement> = fc
  .record({
    namespaces: fc.option(
      fc.uniqueArray(fc.constantFrom('demo', 'shared', POD_NAMESPACE), { minLength: 1 }),
      { nil: undefined },
    ),
    leaderElection: fc.constantFrom(
      undefined,
      { namespace: POD_NAMESPACE },
      { namespace: 'demo', leaseName: 'chosen' },
      { namespace: 'demo', sharded: true },
    ),
    installCrds: fc.boolean(),
  })
  .map(({ leaderElection, ...rest }) => ({ ...rest, ...(leaderElection && { leaderElection }) }));

/** What an operator declares, and where it is put. */
export interface Declaration {
  readonly controllers: readonly Controller[];
  readonly placement: Placement;
}

export const declarations: fc.Arbitrary<Declaration> = fc.record({
  controllers: fc.array(controllers, { minLength: 1, maxLength: 2 }),
  placement: placements,
});
