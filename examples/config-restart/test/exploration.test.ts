/** A ConfigMap that changes, in many orders of events: its Pods are restarted once for each change. */

import type { Scenario, ScenarioCluster } from '@chancery/testing';
import type { Controller, KubernetesObject } from 'chancery';
import type { ConfigMap, Deployment } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import {
  creates,
  deletes,
  EXPLORING,
  explored,
  patches,
  type Target,
  textsOf,
} from '../../testing/exploring.ts';
import { stampKey } from '../actions/rollout.ts';
import { contentOf } from '../content.ts';
import { parseEntry } from '../entry.ts';
import { configRestart } from '../operator.ts';
import { STATE_NAME } from '../own-objects.ts';

const CONFIG: Target = ['v1', 'ConfigMap', 'webapp-config'];
const WATCHER: Target = ['k8spatterns.io/v1', 'ConfigWatcher', 'webapp'];
const WEBAPP: Target = ['apps/v1', 'Deployment', 'webapp'];
const STAMP = stampKey('webapp-config');

function stampOf(object: KubernetesObject | undefined): string | undefined {
  const { spec } = (object?.kind === 'Deployment' ? object : {}) as Partial<Deployment>;
  return spec?.template.metadata?.annotations?.[STAMP];
}

/** The contents that the operator has noted, one after another, as digests. */
function notedIn(cluster: ScenarioCluster): readonly string[] {
  const states = cluster.writes.filter(({ object }) => object.metadata.name === STATE_NAME);
  const hashes = states.flatMap(({ object }) => {
    const { 'webapp-config': text } = (object as ConfigMap).data ?? {};
    return text === undefined ? [] : [parseEntry(text)?.hash ?? ''];
  });
  return hashes.filter((hash, at) => hash !== hashes[at - 1]);
}

const scenario: Scenario = {
  name: 'config-restart',
  objects: textsOf('config-restart/crds/*.yaml', 'config-restart/sample/*.yaml'),
  controllers: () => [configRestart() as Controller],
  // Its Pods are who is restarted.
  workloads: { only: ['deployment', 'replicaSet', 'garbageCollector'] },
  changes: [
    patches('a person changes the message', CONFIG, { data: { message: 'two' } }),
    patches('a person labels the ConfigMap', CONFIG, { metadata: { labels: { team: 'web' } } }),
    creates('a team declares a ConfigWatcher, too', WATCHER, {
      spec: { configMap: 'webapp-config', podSelector: { app: 'webapp' } },
    }),
    patches('a person changes the message again', CONFIG, { data: { message: 'three' } }),
    patches('a person scales the Deployment', WEBAPP, { spec: { replicas: 1 } }),
    deletes('a person deletes the ConfigMap', CONFIG),
    creates(
      'a person creates the ConfigMap with other content',
      CONFIG,
      { data: { message: 'four' } },
      { annotations: { 'k8spatterns.io/podDeleteSelector': 'app=webapp' } },
    ),
  ],
  // How often Pods were restarted depends on how many changes come together.
  ignore: (object) =>
    object.kind === 'ConfigMap' || object.kind === 'ConfigWatcher' || isWorkload(object)
      ? undefined
      : object,
  atEachStep: [
    {
      name: 'no restart without a change',
      check: (cluster) => {
        const stamps = new Set(cluster.writes.flatMap(({ object }) => stampOf(object) ?? []));
        if (stamps.size > 3) return `there were ${stamps.size} restarts of 3 changes`;
      },
    },
  ],
  atRest: [
    {
      name: 'the Pods have the content of the ConfigMap',
      check: (cluster) => {
        const config = cluster.get('v1', 'ConfigMap', 'default', 'webapp-config') as ConfigMap;
        const { hash } = contentOf(config);
        const noted = notedIn(cluster);
        if (noted.at(-1) !== hash) return 'the last content is not noted';
        const stamp = stampOf(cluster.get('apps/v1', 'Deployment', 'default', 'webapp'));
        // What is seen first is what the Pods have.
        if (noted.length > 1 && stamp?.startsWith(hash) !== true) return `their stamp is ${stamp}`;
        if (noted.length === 1 && stamp !== undefined) return 'they were restarted for no change';
      },
    },
  ],
};

function isWorkload({ kind }: KubernetesObject): boolean {
  return ['Deployment', 'ReplicaSet', 'Pod'].includes(kind);
}

test('`config-restart` restarts once per change, in every order of events', EXPLORING, async () => {
  expect(await explored(scenario)).toMatchObject({ scenario: 'config-restart' });
});
