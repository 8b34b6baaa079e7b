/** The definitions as they are shipped, for who installs them without the operator. */
import { crdYaml } from 'chancery/schema';
import { expect, test } from 'vitest';
import { backups, clusters, instances, schedules } from '../resources.ts';

test.each([
  ['mysqlclusters', clusters],
  ['mysqlbackupschedules', schedules],
  ['mysqlbackupinstances', instances],
  ['mysqlbackups', backups],
])('MY1, MY4: the definition of %s is generated from the schema, has version v1, and has no namespace', async (name, resource) => {
  expect(resource.definition.apiVersion).toBe('apiextensions.k8s.io/v1');
  expect(resource.definition.metadata).toEqual({ name: `${name}.${resource.group}` });
  await expect(crdYaml(resource)).toMatchFileSnapshot(`../definitions/${name}.yaml`);
});

test('the definitions have the names of the original operator', () => {
  const names = [clusters, schedules, instances].map(({ definition }) => definition.spec.names);

  expect(names).toEqual([
    {
      plural: 'mysqlclusters',
      singular: 'mysqlcluster',
      kind: 'MySQLCluster',
      listKind: 'MySQLClusterList',
      shortNames: ['mc', 'mcs'],
    },
    {
      plural: 'mysqlbackupschedules',
      singular: 'mysqlbackupschedule',
      kind: 'MySQLBackupSchedule',
      listKind: 'MySQLBackupScheduleList',
      shortNames: ['mb', 'mbs'],
    },
    {
      plural: 'mysqlbackupinstances',
      singular: 'mysqlbackupinstance',
      kind: 'MySQLBackupInstance',
      listKind: 'MySQLBackupInstanceList',
      shortNames: ['mbi', 'mbis'],
    },
  ]);
});
