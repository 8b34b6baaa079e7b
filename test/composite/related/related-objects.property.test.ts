/** What rules select, and whom a change wakes, compared with a model that knows no index. */

import { FakeClock } from '@chancery/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RelatedRule } from '../../../operator/composite/related/compiled-rule.ts';
import { Related } from '../../../operator/composite/related/related-objects.ts';
import { source } from '../../../operator/controller/source.ts';
import { configMaps, namespaces, nodes } from '../../../operator/model/kubernetes/resources.ts';
import { type KubernetesObject, keyOf } from '../../../operator/model/object.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { contextAt, FakeSource, running } from './fake-sources.ts';

const PLACES = ['farm', 'town'] as const;
const NAMES = ['a', 'b', 'c'] as const;

const crops = fc.record(
  { crop: fc.constantFrom('apple', 'pear'), ripe: fc.constant('') },
  { requiredKeys: [] },
);
const labels = crops as fc.Arbitrary<Record<string, string>>;
const selector = fc.oneof(
  fc.constant({}),
  labels.map((matchLabels) => ({ matchLabels })),
  fc.constant({ matchExpressions: [{ key: 'crop', operator: 'NotIn', values: ['pear'] }] }),
);

const configMap = fc
  .record({ namespace: fc.constantFrom(...PLACES), name: fc.constantFrom(...NAMES), labels })
  .map((metadata) => objectOf('ConfigMap', metadata));
const node = fc
  .record({ name: fc.constantFrom(...NAMES), labels })
  .map((metadata) => objectOf('Node', metadata));

const rule: fc.Arbitrary<RelatedRule> = fc.oneof(
  fc.record(
    {
      resource: fc.constant(configMaps),
      names: fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1 }),
      namespace: fc.constantFrom(...PLACES),
    },
    { requiredKeys: ['resource', 'names'] },
  ),
  fc.record(
    {
      resource: fc.constant(configMaps),
      labelSelector: selector,
      namespace: fc.constantFrom(...PLACES),
    },
    { requiredKeys: ['resource'] },
  ),
  fc.record(
    {
      resource: fc.constant(configMaps),
      labelSelector: selector,
      namespaceSelector: selector,
    },
    { requiredKeys: ['resource', 'namespaceSelector'] },
  ),
  fc.record(
    { resource: fc.constant(nodes), labelSelector: selector },
    { requiredKeys: ['resource'] },
  ),
);

const parents = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom('p', 'q', 'r'),
    namespace: fc.option(fc.constantFrom(...PLACES), { nil: undefined }),
    rules: fc.array(rule, { maxLength: 3 }),
  }),
  { selector: ({ name, namespace }) => `${namespace}/${name}`, maxLength: 4 },
);

const places = fc
  .record({ farm: labels, town: labels })
  .map((each) => PLACES.map((name) => objectOf('Namespace', { name, labels: each[name] })));

const change = fc.record({
  object: fc.oneof(configMap, node),
  isDelete: fc.boolean(),
});

test('[contract 44] [metacontroller 19] rules and the model select the same objects, and changes of these objects wake the same parents', async () => {
  await fc.assert(
    fc.asyncProperty(
      parents,
      places,
      fc.uniqueArray(fc.oneof(configMap, node), { selector: nameOf }),
      fc.array(change, { maxLength: 5 }),
      async (declared, known, objects, changes) => {
        const byUid = new Map(declared.map((parent) => [`${nameOf(toObject(parent))}`, parent]));
        const clock = new FakeClock();
        const opened = new Map<string, FakeSource>();
        const cluster = new Map(objects.map((object) => [nameOf(object), object]));
        const related = new Related({
          controller: 'test',
          rules: async (parent) => byUid.get(nameOf(parent))?.rules ?? [],
          sources: {
            open: (wanted) => {
              const { kind } = wanted.resource;
              const found = kind === 'Namespace' ? known : [...cluster.values()];
              const fake = new FakeSource(
                wanted,
                found.filter((object) => object.kind === kind),
              );
              fake.sync();
              opened.set(kind, fake);
              return fake.handle;
            },
          },
        });
        const wakes = running(related.wiring.triggers?.[0], clock);
        for (const parent of declared) {
          const found = await related.of(toObject(parent), contextAt(clock));
          const expected = [...cluster.values()].filter((object) =>
            isSelected(parent, object, known),
          );
          const all = [...found.values()].flatMap(({ objects: of }) => of);
          expect(all.map(nameOf).sort()).toEqual(expected.map(nameOf).sort());
        }
        for (const { object, isDelete } of changes) {
          const before = cluster.get(nameOf(object));
          if (isDelete && before === undefined) continue;
          const fake = opened.get(object.kind);
          if (isDelete) cluster.delete(nameOf(object));
          else cluster.set(nameOf(object), object);
          if (isDelete) fake?.remove(before ?? object);
          else fake?.put(object);
          const states = [before, isDelete ? undefined : object].filter(
            (state) => state !== undefined,
          );
          const expected = declared.filter((parent) =>
            states.some((state) => isSelected(parent, state, known)),
          );
          expect(wakes.take()).toEqual(expected.map((parent) => keyOf(toObject(parent))).sort());
        }
        await wakes.stop();
      },
    ),
    propertyRuns(),
  );
});

test('a change in a declared source wakes the same parents as a change in a source that a rule has opened', async () => {
  await fc.assert(
    fc.asyncProperty(parents, places, configMap, async (declared, known, object) => {
      const clock = new FakeClock();
      const sources = [configMaps, namespaces, nodes].map((each) => source(each));
      const byName = new Map(declared.map((parent) => [nameOf(toObject(parent)), parent]));
      const related = new Related({
        controller: 'test',
        rules: async (parent) => byName.get(nameOf(parent))?.rules ?? [],
        sources: { declared: sources },
      });
      const fakes = new Map(
        related.wiring.watches?.map(({ source: of }) => {
          const fake = new FakeSource(of, of.resource.kind === 'Namespace' ? known : []);
          fake.sync();
          return [of.resource.plural, fake];
        }),
      );
      const storeOf = (of: unknown) =>
        fakes.get((of as { resource: { plural: string } }).resource.plural)?.store;
      const context = contextAt(clock, storeOf as Parameters<typeof contextAt>[1]);
      for (const parent of declared) await related.of(toObject(parent), context);

      const [mapping] = related.wiring.watches ?? [];
      const woken = await mapping?.map(object, context);

      const expected = declared.filter((parent) => isSelected(parent, object, known));
      expect([...(woken ?? [])].sort()).toEqual(
        expected.map((parent) => keyOf(toObject(parent))).sort(),
      );
    }),
    propertyRuns(),
  );
});

type Parent = {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly rules: readonly RelatedRule[];
};

function isSelected(
  { rules }: Parent,
  { kind, metadata }: KubernetesObject,
  known: readonly KubernetesObject[],
): boolean {
  return rules.some(({ resource, names, namespace, labelSelector, namespaceSelector }) => {
    if (resource.kind !== kind) return false;
    if (names !== undefined && !names.includes(metadata.name)) return false;
    if (namespace !== undefined && metadata.namespace !== namespace) return false;
    if (!fits(labelSelector, metadata.labels ?? {})) return false;
    const place = known.find((each) => each.metadata.name === metadata.namespace);
    return namespaceSelector === undefined || fits(namespaceSelector, place?.metadata.labels ?? {});
  });
}

function fits(
  wanted: RelatedRule['labelSelector'],
  given: Readonly<Record<string, string>>,
): boolean {
  const { matchLabels = {}, matchExpressions = [] } = wanted ?? {};
  return (
    Object.entries(matchLabels).every(([key, value]) => given[key] === value) &&
    matchExpressions.every(({ key, values = [] }) => !values.includes(given[key] ?? ''))
  );
}

function toObject({ name, namespace }: Parent): KubernetesObject {
  return objectOf('Parent', { name, ...(namespace !== undefined && { namespace }) });
}

let version = 0;

function objectOf(
  kind: string,
  metadata: { readonly name: string } & Partial<KubernetesObject['metadata']>,
): KubernetesObject {
  version += 1;
  const uid = `${kind}-${metadata.namespace}-${metadata.name}`;
  const resourceVersion = String(version);
  return { apiVersion: 'v1', kind, metadata: { ...metadata, uid, resourceVersion } };
}

function nameOf({ kind, metadata: { namespace, name } }: KubernetesObject): string {
  return `${kind} ${namespace ?? ''}/${name}`;
}
