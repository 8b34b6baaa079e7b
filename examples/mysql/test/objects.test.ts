/** What is decided without a cluster: Pods, scripts, names, and the rights. */
import { rbac } from 'chancery/low-level';
import { crdYaml } from 'chancery/schema';
import { expect, test } from 'vitest';
import { podTemplateOf } from '../cluster/pod-template.ts';
import { roleOf } from '../cluster/roles.ts';
import { servicesOf } from '../cluster/services.ts';
import { statefulSetOf } from '../cluster/stateful-set.ts';
import operator from '../operator.ts';
import { type Cluster, clusters } from '../resources.ts';
import { cronJobOf } from '../schedule/cron-job.ts';
import { backupName } from '../schedule/ticks.ts';
import { script } from '../scripts.ts';

const cluster: Cluster = {
  apiVersion: 'cr.mysqloperator.grtl.github.com/v1',
  kind: 'MySQLCluster',
  metadata: { name: 'c', namespace: 'n', uid: 'u' },
  spec: {
    secret: 's',
    storage: '1Gi',
    replicas: 2,
    port: 3306,
    image: 'mysql:8.4',
    xtrabackupImage: 'percona/percona-xtrabackup:8.4',
  },
};

const SCRIPTS = (['init', 'clone', 'serve', 'backup', 'delete'] as const).map(script);

const rules = rbac(operator, {
  namespaces: ['n'],
  installCrds: true,
  name: 'mysql',
  serviceAccount: { name: 'mysql', namespace: 'n' },
}).flatMap((role) => ('rules' in role ? (role.rules ?? []) : []));

test('MY3: the operator has no permission to delete definitions, and each permission is for one definition', () => {
  const definitions = rules.filter(({ resources }) =>
    resources?.includes('customresourcedefinitions'),
  );

  expect(definitions.length).toBeGreaterThan(0);
  for (const { verbs, resourceNames = [] } of definitions) {
    expect(verbs).not.toContain('delete');
    expect(resourceNames.length).toBeGreaterThan(0);
  }
});

test('MY19, MY20: the operator has no wildcard permission, and no permission to read a password', () => {
  const named = rules.flatMap(({ apiGroups = [], resources = [], verbs }) => [
    ...[...apiGroups, ...resources, ...verbs],
  ]);

  expect(named).toContain('statefulsets');
  expect(named).not.toContain('*');
  expect(named).not.toContain('secrets');
});

test('MY7: generating the objects of a cluster does not change the object of the cluster itself', () => {
  const before = structuredClone(cluster);

  statefulSetOf(cluster, { claim: 'a', backup: 'b' });
  servicesOf(cluster);

  expect(cluster).toEqual(before);
});

test('MY16: if there is only one replica, the Service for readers also selects this replica', () => {
  const alone = { ...cluster, spec: { ...cluster.spec, replicas: 1 } };

  expect(servicesOf(alone)[1]?.spec?.selector).toEqual({ app: 'c' });
});

test('MY18: scripts use the terms of MySQL 8.4, and the default images belong to one release series', () => {
  const all = SCRIPTS.join('\n');

  expect(all).toContain('CHANGE REPLICATION SOURCE TO');
  expect(all).toContain('START REPLICA');
  expect(all).not.toMatch(/CHANGE MASTER|START SLAVE/);
  // MySQL and what copies it.
  const series = crdYaml(clusters).match(/default: (mysql|percona\/percona-xtrabackup):8\.4$/gm);
  expect(series).toHaveLength(2);
});

test('MY19: no command line contains the password, and no script contains pasted values', () => {
  const { spec } = podTemplateOf(cluster, undefined);

  const lines = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].flatMap(
    ({ command = [], args = [], livenessProbe, readinessProbe }) => [
      ...[...command, ...args].filter((word) => !SCRIPTS.includes(word)),
      ...(livenessProbe?.exec?.command ?? []),
      ...(readinessProbe?.exec?.command ?? []),
    ],
  );
  expect(lines).toContain('--defaults-extra-file=/mnt/credentials/client.cnf');
  expect(lines.join('\n')).not.toMatch(/PASSWORD|^-p|--password/m);
  expect(SCRIPTS.join('\n')).not.toMatch(/--password|-p"/);
  const scripts = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].flatMap(
    ({ command = [] }) => command.filter((word) => word.includes('\n')),
  );
  expect(scripts.every((text) => SCRIPTS.includes(text))).toBe(true);
});

test('MY1: a CronJob only runs the command `true`, so that its image needs no access to the API', () => {
  const spec = { cluster: 'c', time: '*/5 * * * *' };
  const { spec: made } = cronJobOf({ ...cluster, kind: 'MySQLBackupSchedule', spec, status: {} });

  expect(made?.schedule).toBe('*/5 * * * *');
  expect(made?.jobTemplate.spec?.template.spec?.containers).toMatchObject([{ command: ['true'] }]);
});

test("the objects have the original operator's names", () => {
  expect(backupName('my-backup', Date.UTC(2017, 11, 14, 1, 22))).toBe(
    'my-backup-2017-12-14-01-22-00',
  );
  expect(['c-0', 'c-10', 'c'].map(roleOf)).toEqual(['primary', 'replica', undefined]);
});
