/** Nothing is in memory that a restart could lose. */

import { crashPoints, startOperator, startTestEnv, type TestEnv } from '@chancery/testing';
import type { Node } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import { placeOf } from '../capacity.ts';
import { nodeReboot } from '../operator.ts';
import {
  AFTER_REBOOT,
  BEFORE_REBOOT,
  isTrue,
  labelOf,
  REBOOT_IN_PROGRESS,
  REBOOT_NEEDED,
  REBOOT_OK,
} from '../protocol.ts';
import { rebootSettingsFrom } from '../settings.ts';

const NAMES = ['node-1', 'node-2'];

test('after a crash at any request, each Node is rebooted once, and two Nodes are never rebooted at the same time', async () => {
  const points = await crashPoints({
    env: () => startTestEnv({ backend: 'embedded' }),
    arrange: async (env) => {
      const metadata = { annotations: { [REBOOT_NEEDED]: 'true' } };
      for (const name of NAMES) {
        await env.create({ apiVersion: 'v1', kind: 'Node', metadata: { ...metadata, name } });
      }
    },
    start: (url) => startOperator({ url, controllers: [nodeReboot(rebootSettingsFrom({}))] }),
    until: async (env) => {
      const nodes = await env.list<Node>('v1', 'Node');
      for (const node of nodes) if (isTrue(node, REBOOT_OK)) await reboot(env, node);
      return nodes.every((node) => !isTrue(node, REBOOT_NEEDED) && placeOf(node) === 'none');
    },
    state: async (env) => {
      expect(mostHeld(env)).toBe(1);
      return NAMES.map((name) => wayOf(env, name));
    },
    // Of one Node: the other one has its turn after any of these.
    calls: ({ verb, name }) => verb === 'patch' && name === 'node-1',
  });

  expect(points).toHaveLength(2 * 4);
});

/** What its agent says when the machine is back. */
async function reboot(env: TestEnv, { metadata: { name } }: Node): Promise<void> {
  const annotations = { [REBOOT_NEEDED]: 'false', [REBOOT_IN_PROGRESS]: 'false' };
  await env.patch('v1', 'Node', undefined, name, { metadata: { annotations } });
}

const statesOf = ({ events }: TestEnv, name: string): readonly Node[] =>
  events.history('nodes', undefined, name) as readonly Node[];

/** Which labels and which leave it had, from change to change. */
function wayOf(env: TestEnv, name: string): readonly string[] {
  const shown = statesOf(env, name).map((node) => {
    const labels = [BEFORE_REBOOT, AFTER_REBOOT].map((label) => labelOf(node, label) === 'true');
    return String([...labels, isTrue(node, REBOOT_OK)]);
  });
  return shown.filter((each, at) => each !== shown[at - 1]);
}

/** How many had a place at a time. */
function mostHeld(env: TestEnv): number {
  const states = NAMES.flatMap((name) => statesOf(env, name));
  const held = new Set<string>();
  const counts = states
    .toSorted((a, b) => version(a) - version(b))
    .map((node) => {
      if (placeOf(node) === 'held') held.add(node.metadata.name);
      else held.delete(node.metadata.name);
      return held.size;
    });
  return Math.max(...counts);
}

/** The embedded server counts. */
const version = ({ metadata }: Node): number => Number(metadata.resourceVersion);
