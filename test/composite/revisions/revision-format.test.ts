/**
 * What Metacontroller stores, derived by hand from its contract: the hashes below were made with sha1sum from the uid and
 * the text of the patch, not with the code under test.
 */
import { expect, test } from 'vitest';
import { patchText } from '../../../operator/composite/revisions/parent-patch.ts';
import {
  labelsOf,
  metacontrollerFormat,
  nameOf,
} from '../../../operator/composite/revisions/revision-format.ts';
import type { KubernetesObject } from '../../../operator/model/object.ts';
import { defineResource } from '../../../operator/model/resource.ts';
import { fruits, Rollout } from './rollout.ts';

const UID = '22222222-0000-4000-8000-000000000002';

function orchard(fields: object = {}): KubernetesObject {
  return {
    apiVersion: 'fruit.example/v1',
    kind: 'Orchard',
    metadata: { name: 'north', namespace: 'farm', uid: UID },
    ...fields,
  };
}

function format(plural = 'orchards', group = 'fruit.example') {
  const parentResource = defineResource({ ...fruits, plural, group });
  return metacontrollerFormat({ parentResource, generateSelector: true });
}

test.each([
  [{ spec: { trees: 2 } }, '6197953534aee8e1d8c920c1553eee6a3002483d'],
  [{ spec: { template: { kind: 'apple' } } }, '44a9dfb4fb4c202477ad3ce546923c99f5d4ce8b'],
  [
    { spec: { trees: 2, note: 'a<b && c>\u2028 é', Zulu: [1.5, -3, 1e21, null, true] } },
    '4ff866f59777ca289daeeee3d3c074648d47023a',
  ],
  [{}, 'd819c2a02ccd95ea04841109dda254caf2e7ba40'],
])('[contract 74] [metacontroller 28] the revision name ends with the hash of uid and patch: %j', (patch, hash) => {
  expect(nameOf(format(), orchard(), patchText(patch))).toBe(`orchards.fruit.example-${hash}`);
});

test('[metacontroller 28] the group of a core parent is "core" in the revision name and empty in the label', () => {
  const core = format('configmaps', '');

  expect(nameOf(core, orchard(), '{"spec":{"trees":2}}')).toBe(
    'configmaps.core-6197953534aee8e1d8c920c1553eee6a3002483d',
  );
  expect(core.labels).toEqual({
    'metacontroller.k8s.io/apiGroup': '',
    'metacontroller.k8s.io/resource': 'configmaps',
  });
});

test("[metacontroller 28] the part of a revision's name before the hash has at most 212 characters", () => {
  const group = `${'g'.repeat(200)}.fruit.example`;
  const long = format('orchards', group);

  const name = nameOf(long, orchard(), '{"spec":{"trees":2}}');

  expect(name).toHaveLength(253);
  expect(name).toBe(`orchards.${'g'.repeat(200)}.fr-6197953534aee8e1d8c920c1553eee6a3002483d`);
  // No label can have this value: the API server would refuse the revision.
  expect(long.labels).toEqual({ 'metacontroller.k8s.io/resource': 'orchards' });
});

test("[contract 74] [metacontroller 28] a revision has the template's labels, and two labels for the parent's type", () => {
  const given = metacontrollerFormat({ parentResource: fruits, generateSelector: false });
  const labels = { app: 'north', 'metacontroller.k8s.io/resource': 'lies' };

  expect(labelsOf(given, orchard({ spec: { template: { metadata: { labels } } } }))).toEqual({
    app: 'north',
    'metacontroller.k8s.io/apiGroup': 'fruit.example',
    'metacontroller.k8s.io/resource': 'orchards',
  });
  expect(labelsOf(given, orchard({ spec: {} }))).toEqual(given.labels);
  expect(() =>
    labelsOf(given, orchard({ spec: { template: { metadata: { labels: { app: 1 } } } } })),
  ).toThrow(expect.objectContaining({ code: 'USER_CODE', context: { parent: 'farm/north' } }));
});

test('[contract 74] [metacontroller 28] a stored revision has neither a status nor a spec', async () => {
  const rollout = new Rollout();
  rollout.parent = { ...rollout.parent, spec: { trees: 2 } };

  await rollout.reconcile();

  const [stored] = [...rollout.stored.all.values()];
  const {
    uid: _,
    resourceVersion: __,
    creationTimestamp: ___,
    generation: ____,
    ...metadata
  } = stored?.metadata ?? expect.unreachable();
  expect({ ...stored, metadata }).toEqual({
    apiVersion: 'metacontroller.k8s.io/v1alpha1',
    kind: 'ControllerRevision',
    metadata: {
      name: 'orchards.fruit.example-6197953534aee8e1d8c920c1553eee6a3002483d',
      namespace: 'farm',
      labels: {
        'controller-uid': UID,
        'metacontroller.k8s.io/apiGroup': 'fruit.example',
        'metacontroller.k8s.io/resource': 'orchards',
      },
      ownerReferences: [
        {
          apiVersion: 'fruit.example/v1',
          kind: 'Orchard',
          name: 'north',
          uid: UID,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    parentPatch: { spec: { trees: 2 } },
    children: [{ apiGroup: '', kind: 'Pod', names: ['a', 'b', 'c'] }],
  });
});

test('[metacontroller 28] a revision without children has no children field', async () => {
  const rollout = new Rollout({ names: [] });

  await rollout.reconcile();

  const [stored] = [...rollout.stored.all.values()];
  expect(stored).toHaveProperty('parentPatch');
  expect(stored).not.toHaveProperty('children');
});
