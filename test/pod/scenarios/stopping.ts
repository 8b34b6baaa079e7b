/** The end of the Pod: the operator needs its ambassador until it has given back its Lease. */

import { eventually } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { KubernetesObject } from '../../../operator/model/object.ts';
import {
  isLeading,
  LEASE,
  NAMESPACE,
  PATIENCE,
  startWorld,
  type World,
  type WorldOptions,
} from '../support/world.ts';
import type { Place } from './place.ts';

const OVERLAY = 'manifests/overlays/namespaced';

export function stopping({ means, images, isSlow }: Place): void {
  const leading = async (more: Partial<WorldOptions> = {}): Promise<World> => {
    const world = await startWorld({ means, images: images(), overlay: OVERLAY, ...more });
    onTestFinished(() => world.end());
    await eventually(() => world.pod.container('operator').lines.some(isLeading), PATIENCE);
    return world;
  };

  test('[security 35] when the Pod is stopped, the operator releases its Lease before the ambassador ends', async () => {
    const world = await leading();

    const ending = await world.pod.terminate();

    expect(ending).toEqual([
      'SIGTERM operator',
      'operator ended with 0',
      'SIGTERM proxy',
      'proxy ended with 2', // as kubectl does as the first process of a container
    ]);
    expect(holderOf(world)).toBe('');
  });

  test('without the preStop hook of the manifest the ambassador ends first, and the Lease is not released', async () => {
    const world = await leading({ edit: (objects) => objects.map(naive) });
    const holder = holderOf(world);
    await world.pod.container('operator').signal('SIGSTOP'); // busy for a moment, as an operator may be

    const proxy = world.pod.container('proxy');
    const ended = world.pod.terminate();
    await proxy.ended;
    await world.pod.container('operator').signal('SIGCONT');
    const ending = await ended;

    expect(ending.indexOf('proxy ended with 2')).toBeLessThan(
      ending.findIndex((line) => line.startsWith('operator ended')),
    );
    expect(holderOf(world)).toBe(holder);
  });

  if (isSlow) {
    test('the preStop hook of the ambassador sleeps longer than the operator needs to stop', async () => {
      const world = await leading();

      const ending = await world.pod.terminate(true);

      expect(ending.slice(0, 2)).toEqual(['SIGTERM operator', 'operator ended with 0']);
    });
  }
}

/** The same without a preStop; and with little time, for what cannot be done is tried until that is over. */
function naive(object: KubernetesObject): KubernetesObject {
  const text = JSON.stringify(object, (key, value) => (key === 'lifecycle' ? undefined : value));
  const seconds = '"name":"CHANCERY_SHUTDOWN_TIMEOUT","value":';
  return JSON.parse(text.replace(new RegExp(`${seconds}"[0-9]+"`), `${seconds}"3"`));
}

/** Who holds the Lease; '' when it was given back. */
function holderOf({ server }: World): string | undefined {
  const lease = server.get('coordination.k8s.io/v1', 'Lease', NAMESPACE, LEASE) as
    | { readonly spec?: { readonly holderIdentity?: string } }
    | undefined;
  return lease && (lease.spec?.holderIdentity ?? '');
}
