/** Definitions that the operator installs itself: absent, old, taken, and without the rights. */

import { eventually, freePort, startOperator, type TestEnv } from '@chancery/testing';
import { controller, type KubernetesObject } from 'chancery';
import type { CustomResourceDefinition, rbacV1 } from 'chancery/kubernetes';
import { expect, onTestFinished, test } from 'vitest';
import { clusters, GROUP } from '../resources.ts';
import { CLUSTER, DEFINITIONS, PATIENT, start, untilReady } from './start.ts';

const CRDS = 'customresourcedefinitions';

/** Nothing is there: what is installed is in no namespace, so that each test has a cluster of its own. */
const EMPTY = { manifests: [], installsCrds: true, ownCluster: true };

const established = async (env: TestEnv): Promise<readonly string[]> => {
  const all = await env.list<CustomResourceDefinition & KubernetesObject>(
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
  );
  return all
    .filter(({ status }) =>
      status?.conditions?.some((is) => is.type === 'Established' && is.status === 'True'),
    )
    .map(({ spec }) => spec.names.plural)
    .toSorted();
};

/** What was asked for, by anybody, of the definitions. */
const verbs = (env: TestEnv): readonly string[] =>
  env.requests.of({ resource: `${CRDS}.apiextensions.k8s.io` }).map(({ verb }) => verb);

test('acceptance 1, MY3: three definitions are installed into an empty cluster, and none is ever deleted', async () => {
  const { env } = await start(EMPTY);

  expect(await established(env)).toEqual([
    'mysqlbackupinstances',
    'mysqlbackupschedules',
    'mysqlclusters',
  ]);
  expect(verbs(env)).not.toContain('delete');
});

test('acceptance 1, MY2: an older definition is upgraded, and the objects of its kind stay', async () => {
  const scene = await start({ ...EMPTY, stopped: true });
  const { env, namespace } = scene;
  const release = startOperator({
    ...{ url: env.url, namespace, controllers: [olderRelease()] },
    environment: { CHANCERY_INSTALL_CRDS: 'true' },
  });
  onTestFinished(() => release.stop());
  await eventually(() => release.ready, PATIENT);
  await release.stop();
  await scene.apply(CLUSTER);
  const old = await scene.cluster();
  expect(old).not.toHaveProperty('spec.xtrabackupImage');

  scene.startOperator();
  const upgraded = await untilReady(scene.cluster, 'ReplicasReady');

  expect(upgraded).toHaveProperty('spec.xtrabackupImage');
  expect(upgraded.metadata.uid).toBe(old?.metadata.uid);
});

/** Knows less of a cluster, and does nothing about it. */
function olderRelease() {
  const definition = structuredClone(clusters.definition) as unknown as OldDefinition;
  for (const version of definition.spec.versions) {
    delete version.schema.openAPIV3Schema.properties.spec.properties.xtrabackupImage;
  }
  const older = { ...clusters, definition: definition as never };
  return controller({
    name: 'mysql-clusters',
    for: older,
    reconcile: async () => {},
  });
}

interface OldDefinition {
  readonly spec: {
    readonly versions: readonly {
      readonly schema: {
        readonly openAPIV3Schema: {
          readonly properties: { readonly spec: { properties: Record<string, unknown> } };
        };
      };
    }[];
  };
}

test('acceptance 2: without permissions, the operator is not ready, reports what is missing, and continues once a user installs the definitions', async () => {
  const port = await freePort();
  const scene = await start({
    ...EMPTY,
    stopped: true,
    withheld: ({ resources = [] }: rbacV1.PolicyRule) => resources.includes(CRDS),
    environment: { CHANCERY_HEALTH_PORT: `${port}` },
  });
  const { env, namespace } = scene;
  scene.startOperator();
  const [page, told] = await eventually(async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
    const line = scene.operator.log.find(({ fields }) => fields.check === 'definitions');
    return line !== undefined && ([await answer.text(), line] as const);
  });
  expect(scene.operator.ready).toBe(false);
  await env.apply(DEFINITIONS);
  await eventually(() => scene.operator.ready, PATIENT);
  await scene.apply(CLUSTER);
  await untilReady(scene.cluster, 'ReplicasReady');

  expect(page).toContain('[-]definitions failed');
  expect(told.message).toBe('health check failed');
  const missing = JSON.stringify(told.fields.missing);
  expect(missing).toMatch(
    /no right to get customresourcedefinitions\.apiextensions\.k8s\.io mysql/,
  );
  expect(scene.refusals()).not.toEqual([]);
  expect(await env.get('apps/v1', 'StatefulSet', namespace, 'my-cluster')).toBeDefined();
});

test('MY3: a definition with conflicting names is reported, and the operator waits and deletes nothing', async () => {
  const scene = await start({ ...EMPTY, stopped: true });
  const { env } = scene;
  const other = structuredClone(clusters.definition);
  const names = { ...other.spec.names, plural: 'others', singular: 'other', shortNames: [] };
  const taking = {
    ...other,
    metadata: { name: `others.${GROUP}` },
    spec: { ...other.spec, names },
  };
  await env.apply([taking as unknown as KubernetesObject]);

  scene.startOperator();
  const told = await eventually(() =>
    scene.operator.log.find(({ fields }) => String(fields.err).includes('names')),
  );
  expect(scene.operator.ready).toBe(false);
  expect(verbs(env)).not.toContain('delete');
  await env.delete(
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
    undefined,
    `others.${GROUP}`,
  );
  await eventually(() => scene.operator.ready, PATIENT);

  expect(told.fields.definition).toBe(`mysqlclusters.${GROUP}`);
  expect(await established(env)).toContain('mysqlclusters');
});

test("the wrong kind in the original operator's README is refused, and the message contains the right kind", async () => {
  const { env, namespace } = await start({ stopped: true });

  const refused = env.create({
    apiVersion: 'cr.mysqlbackup.grtl.github.com/v1',
    kind: 'MySQLBackup',
    metadata: { name: 'my-backup', namespace },
    ...{ spec: { cluster: 'my-cluster', time: '*/5 * * * *' } },
  });

  await expect(refused).rejects.toThrow('write a MySQLBackupSchedule');
});
