/** What the tests of the examples rely on: a place is theirs alone, and no refusal goes unseen. */

import { configMap, eventually } from '@chancery/testing';
import { type Controller, controller } from 'chancery';
import { configMaps, secrets } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import { type Place, type Setup, startExample } from '../place.ts';

/** Looks for a Secret, and has not declared it. */
const curious: Controller = controller({
  name: 'curious',
  for: configMaps,
  async reconcile(object, { client }) {
    await client.find(secrets, { ...object.metadata, name: 'any' });
  },
});

const modest: Controller = controller({
  name: 'modest',
  for: configMaps,
  reconcile: () => Promise.resolve(),
});

/** With an operator that has looked at a ConfigMap. */
async function start(controllers: Setup['controllers'], more: Partial<Setup>): Promise<Place> {
  const place = await startExample({ name: 'it', controllers, ...more });
  await place.env.create(configMap('one', { namespace: place.namespace }));
  await eventually(() => (place.operator.status.controllers[0]?.reconciles ?? 0) > 0);
  await place.idle();
  return place;
}

test.fails.each([
  {},
  { ownCluster: true },
  { allNamespaces: true },
])('with the setup %o, the test fails if the API server refuses a request of its operator', async (setup) => {
  await start([curious], setup);
});

const before: Place[] = [];

test.each([
  1, 2, 3,
])('the operator of test %i has no permissions in the namespaces of earlier tests', async () => {
  const place = await start([modest], {});
  const { env, namespace } = place;
  const user = env.requests.of({ namespace, resource: 'configmaps', verb: 'list' })[0]?.user;
  const mayList = async (where: string): Promise<boolean> => {
    const resourceAttributes = { verb: 'list', resource: 'configmaps', namespace: where };
    const review = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      metadata: { name: '' },
      spec: { user, resourceAttributes },
    };
    const { status } = (await env.create(review)) as { status?: { allowed: boolean } };
    return status?.allowed === true;
  };

  const elsewhere = await Promise.all(before.map((other) => mayList(other.namespace)));

  expect(before.every((other) => other.env === env)).toBe(true);
  expect(new Set([place, ...before].map((each) => each.namespace)).size).toBe(1 + before.length);
  expect(await mayList(namespace)).toBe(true);
  expect(elsewhere).not.toContain(true);
  before.push(place);
});
