/** A Service that is exposed, in many orders of events, beside an Ingress of somebody else. */
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
import expose from '../operator.ts';

const WEB_APP: Target = ['v1', 'Service', 'web-app'];
const INGRESS: Target = ['networking.k8s.io/v1', 'Ingress', 'web-app'];

const spec = { ports: [{ port: 8080, protocol: 'TCP' }], selector: { app: 'web-app' } };

const scenario: Scenario = {
  name: 'expose',
  objects: textsOf('expose/sample/web-app.yml'),
  controllers: () => expose as readonly Controller[],
  workloads: COLLECTED,
  changes: [
    patches('a person changes the path', WEB_APP, {
      metadata: { annotations: { expose: '/docs' } },
    }),
    patches(
      'the Ingress gets an address',
      INGRESS,
      { status: { loadBalancer: { ingress: [{ ip: '203.0.113.7' }] } } },
      'status',
    ),
    patches('a person writes a path that is none', WEB_APP, {
      metadata: { annotations: { expose: '//' } },
    }),
    patches('a person corrects it', WEB_APP, { metadata: { annotations: { expose: '/site' } } }),
    deletes('a person deletes the Ingress', INGRESS),
    deletes('a person deletes the Service', WEB_APP),
    creates(
      'a person creates the Service again',
      WEB_APP,
      { spec },
      { annotations: { expose: '/' } },
    ),
  ],
};

test('`expose` reaches the same final state in every order of events', EXPLORING, async () => {
  expect(await explored(scenario)).toMatchObject({ scenario: 'expose' });
});
