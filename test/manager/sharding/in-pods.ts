import process from 'node:process';
import { policyObjects } from '@chancery/packaging/command';
import { startAmbassador, type TestEnv } from '@chancery/testing';
import { onTestFinished } from 'vitest';
import { proxyFilter } from '../../../operator/access/filter/proxy-filter.ts';
import { rbac } from '../../../operator/access/rbac.ts';
import type { Controller } from '../../../operator/controller/controller.ts';
import type { KubernetesObject } from '../../../operator/model/object.ts';
import type { Upstream } from '../leader/replica.ts';

/**
 * What replicas of one Deployment that share the work have before them: the ambassador of the lane with the generated filter,
 * a ServiceAccount with the generated roles, and the generated policies where the lane binds them.
 */
export async function asInPods(
  env: TestEnv,
  namespace: string,
  controllers: readonly Controller[],
): Promise<Upstream> {
  const name = 'mirror';
  const serviceAccount = { name, namespace };
  const placement = {
    namespaces: [namespace],
    leaderElection: { namespace, leaseName: `${name}-leader`, sharded: true },
  };
  const granted = rbac(controllers, { ...placement, name, serviceAccount });
  await env.apply(granted as unknown as readonly KubernetesObject[], { namespace });
  if (process.env.CHANCERY_TEST_POLICIES === 'bound') {
    await env.apply(await policyObjects(controllers, { ...placement, name, serviceAccount }));
  }
  const ambassador = await startAmbassador({
    server: await env.server.urlFor(`system:serviceaccount:${namespace}:${name}`),
    filter: proxyFilter(controllers, placement),
  });
  onTestFinished(() => ambassador.kill());
  if (process.env.CHANCERY_TEST_AMBASSADOR === 'stand-in') return { url: ambassador.url };
  const version = new URL('/version', ambassador.url);
  return {
    url: ambassador.url,
    passes: async () => void (await (await fetch(version)).arrayBuffer()),
  };
}
