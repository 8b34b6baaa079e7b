/** A Website in many orders of events. */
import type { Scenario } from '@chancery/testing';
import type { Controller } from 'chancery';
import { expect, test } from 'vitest';
import {
  COLLECTED,
  creates,
  deletes,
  EXPLORING,
  explored,
  patches,
  type Target,
  textsOf,
} from '../../testing/exploring.ts';
import { website } from '../operator.ts';

const HELLO: Target = ['example.dev/v1', 'Website', 'hello'];
const DEPLOYMENT: Target = ['apps/v1', 'Deployment', 'hello'];

const scenario: Scenario = {
  name: 'website',
  objects: textsOf('website/crd.yaml', 'website/sample/*.yaml'),
  controllers: () => [website as Controller],
  workloads: COLLECTED,
  changes: [
    patches('a person scales Website hello to 3', HELLO, { spec: { replicas: 3 } }),
    patches(
      'the cluster says that 3 replicas are ready',
      DEPLOYMENT,
      { status: { replicas: 3, readyReplicas: 3 } },
      'status',
    ),
    deletes('a person deletes Deployment hello', DEPLOYMENT),
    patches('a person changes the image of hello', HELLO, { spec: { image: 'nginx:1.30' } }),
    deletes('a person deletes Website hello', HELLO),
    creates('a person creates Website hello again', HELLO, {
      spec: { image: 'nginx:1.31', replicas: 1 },
    }),
  ],
  atRest: [
    {
      name: 'the Deployment is that of the Website',
      check: (cluster) => {
        const [site, deployment] = [HELLO, DEPLOYMENT].map(([apiVersion, kind, name]) =>
          cluster.get(apiVersion, kind, 'default', name),
        );
        const owner = deployment?.metadata.ownerReferences?.[0]?.uid;
        if (owner !== site?.metadata.uid) return `its owner has the uid ${owner}`;
      },
    },
  ],
};

test('`website` reaches the same final state in every order of events', EXPLORING, async () => {
  expect(await explored(scenario)).toMatchObject({ scenario: 'website' });
});
