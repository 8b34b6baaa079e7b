/** A database in many orders of events: Jobs that run, a change of its replicas, an ordered end. */
import type { Scenario } from '@chancery/testing';
import type { Controller } from 'chancery';
import { expect, test } from 'vitest';
import {
  deletes,
  EXPLORING,
  explored,
  patches,
  type Target,
  textsOf,
} from '../../testing/exploring.ts';
import database from '../operator.ts';

const ORDERS: Target = ['example.dev/v1', 'SampleDB', 'orders'];

const scenario: Scenario = {
  name: 'database',
  objects: textsOf('database/crds/*.yaml', 'database/sample/sample-db.yaml'),
  controllers: () => database as readonly Controller[],
  workloads: true,
  changes: [
    patches('a person scales the database to 2', ORDERS, { spec: { replicas: 2 } }),
    patches('a person wants a backup at another time', ORDERS, {
      spec: { backup: { schedule: '0 4 * * *' } },
    }),
    patches('a person upgrades the database', ORDERS, {
      spec: { version: '17.2', image: 'postgres:17.2' },
    }),
    deletes('a person deletes the database', ORDERS),
  ],
  // Who comes first draws the password. Jobs have the names of the times at which they are made.
  ignore: (object) => (['Secret', 'Job', 'Pod'].includes(object.kind) ? undefined : object),
};

test('`database` reaches the same final state in every order of events', EXPLORING, async () => {
  expect(await explored(scenario)).toMatchObject({ scenario: 'database' });
});
