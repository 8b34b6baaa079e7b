/** A Foo in many orders of events, beside a Deployment that another owner controls. */
import { deployment, type Scenario } from '@chancery/testing';
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
import foo from '../operator.ts';

const FOO: Target = ['samplecontroller.k8s.io/v1alpha1', 'Foo', 'example-foo'];
const TAKEN: Target = ['apps/v1', 'Deployment', 'taken'];

const scenario: Scenario = {
  name: 'foo',
  objects: textsOf('foo/crd.yaml', 'foo/sample/*.yaml'),
  controllers: () => [foo as Controller],
  workloads: COLLECTED,
  changes: [
    patches('a person renames the Deployment of the Foo', FOO, {
      spec: { deploymentName: 'other' },
    }),
    {
      name: 'somebody else creates Deployment taken',
      apply: (cluster) => void cluster.create(deployment('taken', { namespace: 'default' })),
    },
    patches('a person gives the Foo the name that is taken', FOO, {
      spec: { deploymentName: 'taken' },
    }),
    patches('a person scales the Foo to 2', FOO, { spec: { replicas: 2 } }),
    deletes('somebody else deletes Deployment taken', TAKEN),
    deletes('a person deletes the Foo', FOO),
    creates('a person creates the Foo again', FOO, {
      spec: { deploymentName: 'taken', replicas: 3 },
    }),
  ],
  atRest: [
    {
      name: 'the Foo has one Deployment',
      check: (cluster) => {
        const names = cluster.list('apps/v1', 'Deployment').map(({ metadata }) => metadata.name);
        if (names.join() !== 'taken') return `there are ${names.join()}`;
      },
    },
  ],
  atEachStep: [
    {
      name: 'what is not of the Foo is left alone',
      check: (cluster) => {
        const wrong = cluster.writes.find(
          ({ by, before }) =>
            by === 'operator' &&
            before?.kind === 'Deployment' &&
            before.metadata.ownerReferences === undefined,
        );
        if (wrong !== undefined) return `Deployment ${wrong.object.metadata.name} was written`;
      },
    },
  ],
};

test('`foo` reaches the same final state in every order of events', EXPLORING, async () => {
  expect(await explored(scenario)).toMatchObject({ scenario: 'foo' });
});
