import process from 'node:process';
import { policyObjects } from '@chancery/packaging/command';
import { startAmbassador } from '@chancery/testing';
import { expect, onTestFinished } from 'vitest';
import { proxyFilter } from '../../../operator/access/filter/proxy-filter.ts';
import { rbac } from '../../../operator/access/rbac.ts';
import type { Controller } from '../../../operator/controller/controller.ts';
import type { KubernetesObject } from '../../../operator/model/object.ts';
import type { Place, Replica } from '../leader/replica.ts';

/**
 * Gives replicas that start from now on what those of one Deployment have that share the work: the ambassador of the lane with
 * the generated filter, a ServiceAccount with the generated roles, and the generated policies where the lane binds them.
 * The test fails when one of them is refused anything for want of a right.
 */
export async function putInPods(place: Place, controllers: readonly Controller[]): Promise<void> {
  const { env, namespace } = place;
  const name = 'mirror';
  const options = {
    ...{ name, namespaces: [namespace], serviceAccount: { name, namespace } },
    leaderElection: { namespace, leaseName: `${name}-leader`, sharded: true },
  };
  const granted = rbac(controllers, options);
  await env.apply(granted as unknown as readonly KubernetesObject[], { namespace });
  if (process.env.CHANCERY_TEST_POLICIES === 'bound') {
    await env.apply(await policyObjects(controllers, options));
  }
  const ambassador = await startAmbassador({
    server: await env.server.urlFor(`system:serviceaccount:${namespace}:${name}`),
    filter: proxyFilter(controllers, options),
  });
  onTestFinished(() => ambassador.kill());
  onTestFinished(() => expect(place.replicas.flatMap(refused)).toEqual([]));
  place.server = ambassador.url;
  if (process.env.CHANCERY_TEST_AMBASSADOR === 'stand-in') return;
  const version = new URL('/version', ambassador.url);
  place.passes = async () => void (await (await fetch(version)).arrayBuffer());
}

function refused({ operator: { meter } }: Replica): readonly string[] {
  return Object.keys(meter.snapshot()).filter((series) => series.includes('"403"'));
}
