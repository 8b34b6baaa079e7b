/** A MySQLCluster and its backups in many orders of events. */
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
import mysql from '../operator.ts';

const GROUP = 'cr.mysqloperator.grtl.github.com/v1';
const CLUSTER: Target = [GROUP, 'MySQLCluster', 'my-cluster'];
const SCHEDULE: Target = [GROUP, 'MySQLBackupSchedule', 'my-backup'];
const STATEFUL_SET: Target = ['apps/v1', 'StatefulSet', 'my-cluster'];

const scenario: Scenario = {
  name: 'mysql',
  objects: textsOf('mysql/definitions/*.yaml', 'mysql/sample/{secret,cluster-config}.yaml'),
  controllers: () => mysql as readonly Controller[],
  workloads: COLLECTED,
  changes: [
    patches('a person scales the cluster to 3', CLUSTER, { spec: { replicas: 3 } }),
    creates('a person asks for backups', SCHEDULE, {
      spec: { cluster: 'my-cluster', time: '*/5 * * * *' },
    }),
    deletes('a person deletes the StatefulSet', STATEFUL_SET),
    patches('a person wants a backup each hour', SCHEDULE, { spec: { time: '0 * * * *' } }),
    deletes('a person deletes the cluster', CLUSTER),
    creates('a person creates the cluster again', CLUSTER, {
      spec: { secret: 'my-secret', replicas: 1 },
    }),
    deletes('a person wants no backups any more', SCHEDULE),
  ],
};

test('`mysql` reaches the same final state in every order of events', EXPLORING, async () => {
  expect(await explored(scenario)).toMatchObject({ scenario: 'mysql' });
});
