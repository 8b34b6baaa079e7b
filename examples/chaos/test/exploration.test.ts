/** Evictions at random in many orders of events: never more than the plan allows, and only of what has opted in. */
import { pod, type Scenario, type ScenarioCluster } from '@chancery/testing';
import type { Controller } from 'chancery';
import { expect, test } from 'vitest';
import {
  deletes,
  EXPLORING,
  explored,
  patches,
  type Target,
  textsOf,
} from '../../testing/exploring.ts';
import { chaosController } from '../operator.ts';

const PLAN: Target = ['chaos.example.dev/v1', 'ChaosPlan', 'chaos'];
const INTERVAL_MS = 10_000;

/** A Pod of a StatefulSet that nobody plays here: what is evicted stays away. */
function member(name: string, isOptedIn: boolean) {
  const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'web' };
  return pod(name, {
    namespace: 'default',
    labels: { app: 'web', ...(isOptedIn && { 'chaos.example.dev/opt-in': 'true' }) },
    ownerReferences: [{ ...owner, controller: true }],
  });
}

function becomesReady(name: string) {
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  return patches(`Pod ${name} becomes ready`, ['v1', 'Pod', name], { status }, 'status');
}

function evictions(cluster: ScenarioCluster) {
  return cluster.writes.filter(
    ({ by, verb, object }) => by === 'operator' && verb === 'delete' && object.kind === 'Pod',
  );
}

const scenario: Scenario = {
  name: 'chaos',
  objects: [
    textsOf('chaos/crd.yaml', 'chaos/sample/plan.yaml'),
    ...['web-0', 'web-1', 'web-2'].map((name) => JSON.stringify(member(name, true))),
    JSON.stringify(member('other-0', false)),
  ].join('\n---\n'),
  controllers: () => [chaosController({ random: () => 0.5 }) as Controller],
  changes: [
    ...['web-0', 'web-1', 'web-2', 'other-0'].map(becomesReady),
    patches('a person pauses the plan', PLAN, { spec: { maxEvictions: 0 } }),
    patches('a person goes on', PLAN, { spec: { maxEvictions: 1 } }),
    deletes('somebody else deletes Pod web-2', ['v1', 'Pod', 'web-2']),
  ],
  // Which Pods are evicted depends on the Pods that exist at that time.
  ignore: (object) => (object.kind === 'Pod' || object.kind === 'ChaosPlan' ? undefined : object),
  // A plan goes on for ever.
  settleMs: 12 * INTERVAL_MS,
  atEachStep: [
    {
      name: 'one Pod in an interval',
      check: (cluster) => {
        const [last, before] = evictions(cluster).toReversed();
        if (last === undefined || before === undefined) return;
        const apartMs = last.atMs - before.atMs;
        if (apartMs < INTERVAL_MS) return `two within ${apartMs} ms`;
      },
    },
    {
      name: 'who has not opted in stays',
      check: (cluster) => {
        const wrong = evictions(cluster).find(({ object }) => object.metadata.name === 'other-0');
        if (wrong !== undefined) return 'other-0 was evicted';
      },
    },
  ],
  atRest: [
    {
      name: 'the last of its kind stays',
      check: (cluster) => {
        const there = cluster
          .list('v1', 'Pod')
          .filter(({ metadata }) => metadata.name !== 'other-0');
        if (there.length !== 1) return `there are ${there.length}`;
      },
    },
  ],
};

test(
  '`chaos` evicts no more Pods than its plan allows, in every order of events',
  EXPLORING,
  async () => {
    expect(await explored(scenario)).toMatchObject({ scenario: 'chaos' });
  },
);
