/** A TDSet in many orders of events, with an autoscaler that comes and goes. */
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
import tdset from '../operator.ts';

const SET: Target = ['schedule.rs/v1', 'TDSet', 'tdset-sample'];
const AUTOSCALER: Target = ['autoscaling/v2', 'HorizontalPodAutoscaler', 'load'];
const DEPLOYMENT: Target = ['apps/v1', 'Deployment', 'tdset-sample'];

const scenario: Scenario = {
  name: 'tdset',
  objects: textsOf('tdset/crd.yaml', 'tdset/sample/*.yaml'),
  controllers: () => [tdset as Controller],
  workloads: COLLECTED,
  changes: [
    patches('a person says how many replicas there are at all times', SET, {
      spec: { schedulingConfig: [], defaultReplica: 4 },
    }),
    creates('a person creates an autoscaler of its Deployment', AUTOSCALER, {
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'tdset-sample' },
        maxReplicas: 10,
      },
    }),
    patches('a person lets the schedule be the floor', SET, { spec: { adjustHPA: true } }),
    patches('a person raises the floor', SET, { spec: { defaultReplica: 6 } }),
    patches('the autoscaler scales to 8', DEPLOYMENT, { spec: { replicas: 8 } }),
    deletes('a person deletes the autoscaler', AUTOSCALER),
    deletes('a person deletes the Deployment', DEPLOYMENT),
    patches('a person changes the image', SET, { spec: { container: { image: 'other:2' } } }),
  ],
};

test('`tdset` reaches the same final state in every order of events', EXPLORING, async () => {
  expect(await explored(scenario)).toMatchObject({ scenario: 'tdset' });
});
