/** Two Nodes that want to reboot, with their agents, in many orders of events. */
import type { Scenario } from '@chancery/testing';
import type { Controller, KubernetesObject } from 'chancery';
import { expect, test } from 'vitest';
import { EXPLORING, explored } from '../../testing/exploring.ts';
import { nodeReboot } from '../operator.ts';
import {
  annotationOf,
  isTrue,
  REBOOT_IN_PROGRESS,
  REBOOT_NEEDED,
  REBOOT_OK,
  REBOOT_PAUSED,
} from '../protocol.ts';
import { rebootSettingsFrom } from '../settings.ts';
import { simulatedAgents } from '../simulator.ts';

type Change = NonNullable<Scenario['changes']>[number];

function node(name: string): KubernetesObject {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name } };
}

function annotates(name: string, object: string, annotations: object): Change {
  return {
    name,
    apply: (cluster) =>
      void cluster.patch('v1', 'Node', undefined, object, { metadata: { annotations } }),
  };
}

const nodesOf: (cluster: Parameters<Change['apply']>[0]) => readonly KubernetesObject[] = (
  cluster,
) => cluster.list('v1', 'Node');

const scenario: Scenario = {
  name: 'node-reboot',
  objects: [node('a'), node('b')],
  controllers: () => [
    nodeReboot(rebootSettingsFrom({})) as Controller,
    simulatedAgents() as Controller,
  ],
  changes: [
    annotates('Node a has an update', 'a', { [REBOOT_NEEDED]: 'true' }),
    annotates('Node b has an update', 'b', { [REBOOT_NEEDED]: 'true' }),
    annotates('an administrator lets Node b be', 'b', { [REBOOT_PAUSED]: 'true' }),
    annotates('Node a has another update', 'a', { [REBOOT_NEEDED]: 'true' }),
    annotates('an administrator gives Node b free', 'b', { [REBOOT_PAUSED]: null }),
  ],
  atEachStep: [
    {
      name: 'one Node reboots at a time',
      check: (cluster) => {
        const down = nodesOf(cluster).filter((each) => isTrue(each, REBOOT_IN_PROGRESS));
        if (down.length > 1) return `${down.length} do`;
      },
    },
  ],
  atRest: [
    {
      name: 'every Node has rebooted',
      check: (cluster) => {
        const waiting = nodesOf(cluster).filter(
          (each) => isTrue(each, REBOOT_NEEDED) || annotationOf(each, REBOOT_OK) !== 'false',
        );
        if (waiting.length > 0) return `${waiting.map(({ metadata }) => metadata.name)} has not`;
      },
    },
  ],
};

test('`node-reboot` reaches the same final state in every order of events', EXPLORING, async () => {
  expect(await explored(scenario)).toMatchObject({ scenario: 'node-reboot' });
});
