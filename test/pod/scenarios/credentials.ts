/** The token in the volume is replaced while the Pod runs, as the kubelet does it; and what a Pod does that has one too many. */

import { eventually } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { sleep, systemClock } from '../../../operator/core/clock.ts';
import type { KubernetesObject } from '../../../operator/model/object.ts';
import {
  changeAndRoll,
  NAMESPACE,
  PATIENCE,
  rollouts,
  runWorkload,
  startWorld,
  type World,
} from '../support/world.ts';
import type { Place } from './place.ts';

const OVERLAY = 'manifests/overlays/namespaced';

/** kubectl keeps a token that it has read for a minute, less ten seconds. */
const KEPT_MS = 60_000;

export function credentials({ means, images, isSlow }: Place): void {
  const start = async (
    edit?: (objects: readonly KubernetesObject[]) => readonly KubernetesObject[],
  ) => {
    const world = await startWorld({
      means,
      images: images(),
      overlay: OVERLAY,
      ...(edit && { edit }),
    });
    onTestFinished(() => world.end());
    return world;
  };

  test('an ambassador that restarts after SIGKILL uses the new token, and no change is lost', async () => {
    const world = await start();
    await runWorkload(world);
    const first = tokensOf(world);

    await world.pod.container('proxy').signal('SIGKILL');
    await world.pod.container('proxy').ended;
    await world.pod.rotateToken(world.issueToken('token-2'));
    world.server.delete('v1', 'Secret', NAMESPACE, 'token-1');
    world.server.patch('v1', 'ConfigMap', NAMESPACE, 'settings', {
      data: { value: 'while it was away' },
    });
    const before = world.server.requests.length;
    await world.pod.restart('proxy');
    await eventually(() => rollouts(world.server) === 2, PATIENCE);
    await eventually(() => world.pod.isReady(), PATIENCE);

    const second = tokensOf(world, before);
    expect([first.size, second.size]).toEqual([1, 1]);
    expect(second).not.toEqual(first);
    expect(world.server.requests.filter(({ user }) => user === undefined)).toEqual([]);
    expect(world.pod.container('operator').isRunning).toBe(true);
  });

  test('[security 2] in a Pod that mounts its token into every container the operator ends with exit code 3', async () => {
    const world = await start((objects) => objects.map(mounting));

    const end = await world.pod.container('operator').ended;

    expect(end).toEqual({ code: 3, signal: null });
    const said = world.pod.container('operator').lines.join('\n');
    expect(said).toContain(
      'a ServiceAccount token is visible at /var/run/secrets/kubernetes.io/serviceaccount/token',
    );
    expect(world.server.requests).toEqual([]);
  });

  if (isSlow) {
    test('the ambassador uses a replaced token within a minute, and no longer needs the old one', async () => {
      const world = await start();
      await runWorkload(world);

      await world.pod.rotateToken(world.issueToken('token-2'));
      await sleep(systemClock, KEPT_MS, new AbortController().signal);
      world.server.delete('v1', 'Secret', NAMESPACE, 'token-1');
      const before = world.server.requests.length;
      await changeAndRoll(world, 'two');

      const used = tokensOf(world, before);
      expect(used.size).toBe(1);
      expect(used).not.toEqual(tokensOf(world, 0, 1));
      expect(world.server.requests.filter(({ user }) => user === undefined)).toEqual([]);
    }, 150_000);
  }
}

/** What requests have brought along to say who they are. */
function tokensOf({ server }: World, from = 0, to = server.requests.length): ReadonlySet<unknown> {
  return new Set(server.requests.slice(from, to).map(({ headers }) => headers.authorization));
}

/** What somebody writes who does not know why it is off. */
function mounting(object: KubernetesObject): KubernetesObject {
  if (object.kind !== 'Deployment') return object;
  const { spec } = object as unknown as { spec: { template: { spec: object } } };
  const pod = { ...spec.template.spec, automountServiceAccountToken: true };
  return {
    ...object,
    spec: { ...spec, template: { ...spec.template, spec: pod } },
  } as KubernetesObject;
}
