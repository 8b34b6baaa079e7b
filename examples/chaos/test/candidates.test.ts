import type { Pod } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import { candidatesAmong, pick } from '../candidates.ts';

const nobody = { namespace: undefined, podName: undefined };

/** A Ready Pod of the ReplicaSet `web`. */
function pod(name: string, { owner = 'web', kind = 'ReplicaSet', ...more }: PodFacts = {}): Pod {
  const { isReady = true, metadata = {}, spec = {}, phase = 'Running' } = more;
  const apiVersion = 'apps/v1';
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'shop',
      uid: `uid-${name}`,
      ...(owner !== '' && {
        ownerReferences: [{ apiVersion, kind, name: owner, uid: `uid-${owner}`, controller: true }],
      }),
      ...metadata,
    },
    spec: { containers: [], ...spec },
    status: { phase, conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
  } as Pod;
}

interface PodFacts {
  /** Empty: nobody's. */
  readonly owner?: string;
  readonly kind?: string;
  readonly isReady?: boolean;
  readonly phase?: string;
  readonly metadata?: object;
  readonly spec?: object;
}

const names = (pods: readonly Pod[]): readonly string[] => pods.map((each) => each.metadata.name);

test('CH6: a Pod that is not Ready, has ended or is being deleted is not a candidate', () => {
  const all = [
    pod('a'),
    pod('b'),
    pod('sick', { isReady: false }),
    pod('done', { phase: 'Succeeded' }),
    pod('going', { metadata: { deletionTimestamp: '2030-01-01T00:00:00Z' } }),
  ];

  expect(names(candidatesAmong(all, nobody))).toEqual(['a', 'b']);
});

test('CH7: a Pod without a controller that would replace it is not a candidate', () => {
  const all = [
    pod('bare-1', { owner: '' }),
    pod('bare-2', { owner: '' }),
    ...['Job', 'DaemonSet', 'Node'].flatMap((kind) => [
      pod(`${kind}-1`, { kind, owner: kind }),
      pod(`${kind}-2`, { kind, owner: kind }),
    ]),
  ];

  expect(candidatesAmong(all, nobody)).toEqual([]);
});

test('CH7: the only Ready Pod of its owner is not a candidate, with or without a budget', () => {
  const all = [
    pod('single', { owner: 'one' }),
    pod('last', { owner: 'two' }),
    pod('sick', { owner: 'two', isReady: false }),
    pod('a'),
    pod('b'),
  ];

  expect(names(candidatesAmong(all, nobody))).toEqual(['a', 'b']);
});

test("CH3: the operator's own Pod is not a candidate, but a Pod of the same name in another namespace can be evicted", () => {
  const all = [pod('a'), pod('b')];

  expect(names(candidatesAmong(all, { namespace: 'shop', podName: 'a' }))).toEqual(['b']);
  expect(names(candidatesAmong(all, { namespace: 'other', podName: 'a' }))).toEqual(['a', 'b']);
});

test('CH2: Pods that are critical for the cluster are not candidates', () => {
  const spec = { priorityClassName: 'system-cluster-critical' };

  expect(names(candidatesAmong([pod('a', { spec }), pod('b'), pod('c')], nobody))).toEqual([
    'b',
    'c',
  ]);
});

test('CH9: the given random numbers decide which candidate is drawn, and all candidates have the same probability', () => {
  const all = ['a', 'b', 'c', 'd'];
  const drawn = Array.from({ length: 100 }, (_, at) => pick(all, () => at / 100));

  const counts = all.map((name) => drawn.filter((each) => each === name).length);

  expect(counts).toEqual([25, 25, 25, 25]);
  expect(pick(all, () => 0.999_999)).toBe('d');
  expect(pick([], () => 0)).toBeUndefined();
});
