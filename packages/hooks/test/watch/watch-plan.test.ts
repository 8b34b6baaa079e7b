import { expect, test } from 'vitest';
import { source } from '../../../../operator/controller/source.ts';
import { knownKinds } from '../../../../operator/model/known-kinds.ts';
import { defineResource, resourceName } from '../../../../operator/model/resource.ts';
import type { Hook, KubernetesBinding } from '../../src/hook.ts';
import { type MakeSource, type Want, WatchPlan } from '../../src/watch/watch-plan.ts';
import { NO_BINDINGS } from '../support/documents.ts';

test('[hooks S6] bindings of all hooks with equal selectors share one source, even with different filters', () => {
  const { plan, made } = planOf(
    [binding({ kind: 'Pod', jqFilter: '.a' }), binding({ kind: 'pods', jqFilter: '.b' })],
    [binding({ kind: 'po', keepsFullObjects: false })],
  );

  const { sources } = plan;

  expect(sources.map(({ resource }) => resourceName(resource))).toEqual(['pods']);
  expect(made[0]?.wants).toEqual([
    {
      filter: '.a',
      keepsFullObjects: true,
      labels: { hook: 'a', binding: 'kubernetes', queue: 'main' },
    },
    {
      filter: '.b',
      keepsFullObjects: true,
      labels: { hook: 'a', binding: 'kubernetes', queue: 'main' },
    },
    { keepsFullObjects: false, labels: { hook: 'b', binding: 'kubernetes', queue: 'main' } },
  ]);
});

test('a binding with names and namespaces has one source per pair of a name and a namespace', () => {
  const { plan } = planOf([
    binding({ kind: 'Secret', names: ['a', 'b'], namespaces: { names: ['x', 'y'] } }),
  ]);

  expect(plan.sources.map(({ namespace, fieldSelector }) => [namespace, fieldSelector])).toEqual([
    [{ name: 'x' }, 'metadata.name=a'],
    [{ name: 'x' }, 'metadata.name=b'],
    [{ name: 'y' }, 'metadata.name=a'],
    [{ name: 'y' }, 'metadata.name=b'],
  ]);
});

test('a binding with a label selector for namespaces also watches the namespaces', () => {
  const { plan } = planOf([binding({ kind: 'Secret', namespaces: { labelSelector: 'farm=yes' } })]);

  expect(
    plan.sources.map(({ resource, labelSelector }) => [resource.plural, labelSelector]),
  ).toEqual([
    ['secrets', undefined],
    ['namespaces', 'farm=yes'],
  ]);
});

test('a shared source uses the shortest resynchronizationPeriod', () => {
  const { plan, made } = planOf([
    binding({ kind: 'Pod', resyncPeriodMs: 60_000 }),
    binding({ kind: 'Pod' }),
    binding({ kind: 'Pod', resyncPeriodMs: 20_000 }),
  ]);

  expect(plan.sources).toHaveLength(1);
  expect(made[0]?.selection.relistIntervalMs).toBe(20_000);
});

test('startup does not wait for the source of a custom kind, and an unknown kind has no source yet', () => {
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'sites.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'sites', kind: 'Site' },
      versions: [{ name: 'v1', served: true, storage: true }],
    },
  };
  const { plan, made } = planOf(
    [binding({ kind: 'Site' }), binding({ kind: 'Pod' }), binding({ kind: 'Unknown' })],
    [],
    [definition],
  );

  expect(plan.sources).toHaveLength(2);
  expect(made.map(({ selection }) => selection.optional)).toEqual([true, false]);
});

test('if bindings use different names for one unknown kind, they have separate filters', () => {
  const short = binding({ kind: 'sites', jqFilter: '.a', keepsFullObjects: false });
  const long = binding({ kind: 'Site', apiVersion: 'example.com/v1', jqFilter: '.b' });
  const alike = binding({ kind: 'Sites', jqFilter: '.c' });
  const { plan, made } = planOf([short, long, alike]);
  const site = defineResource({
    ...{ group: 'example.com', version: 'v1', kind: 'Site', plural: 'sites', namespaced: true },
  });

  const sources = [short, long, alike].map((each) => plan.sourcesOf(each, site)[0]);

  expect(made.map(({ wants }) => wants.map(({ filter }) => filter))).toEqual([
    ['.a', '.c'],
    ['.b'],
  ]);
  expect(sources[2]).toBe(sources[0]);
});

function planOf(
  first: readonly KubernetesBinding[],
  second: readonly KubernetesBinding[] = [],
  definitions: readonly unknown[] = [],
) {
  const made: { selection: Parameters<MakeSource>[1]; wants: readonly Want[] }[] = [];
  const make: MakeSource = (resource, selection, wants) => {
    made.push({ selection, wants });
    return {
      source: source(resource, selection),
      bindingObject: () => {
        throw new Error('nothing is cached');
      },
    };
  };
  const hooks = [hookOf('a', first), hookOf('b', second)];
  return { plan: new WatchPlan(hooks, knownKinds(definitions), make), made };
}

function hookOf(name: string, kubernetes: readonly KubernetesBinding[]): Hook {
  const config = { ...NO_BINDINGS, kubernetes };
  return { name, path: `/hooks/${name}`, config, rights: undefined };
}

function binding(some: Partial<KubernetesBinding> & { readonly kind: string }): KubernetesBinding {
  return {
    name: 'kubernetes',
    queue: 'main',
    allowFailure: false,
    includeSnapshotsFrom: [],
    events: new Set(['Added', 'Modified', 'Deleted']),
    runsOnSynchronization: true,
    waitsForSynchronization: true,
    keepsFullObjects: true,
    ...some,
  };
}
