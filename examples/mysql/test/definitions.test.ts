/** Definitions that the operator installs itself: absent, old, and without the rights. */
import { type CustomResourceDefinition, type KubernetesObject, proxyFilter, rbac } from 'chancery';
import {
  eventually,
  FakeClock,
  StandInAmbassador,
  startOperator,
  startTestEnv,
  type TestEnv,
  type TestOperator,
} from 'chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { startExample } from '../../testing/place.ts';
import { definition } from '../definitions.ts';
import operator from '../operator.ts';
import { clusters, GROUP } from '../resources.ts';
import { CLUSTER, DEFINITIONS, VERSION } from './start.ts';

const KINDS = ['mysqlbackupinstances', 'mysqlbackupschedules', 'mysqlclusters'];

/** What is not served is looked for every 10 s: they pass as fast as the operator follows. */
async function untilReadyOn(clock: FakeClock, running: TestOperator): Promise<void> {
  await eventually(() => {
    if (!running.ready) clock.advance(250);
    return running.ready;
  });
}

const established = async (env: TestEnv): Promise<readonly string[]> => {
  const all = await env.list<CustomResourceDefinition & KubernetesObject>(
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
  );
  return all
    .filter(({ status }) => status?.conditions?.some((is) => is.type === 'Established'))
    .map(({ spec }) => spec.names.plural)
    .toSorted();
};

/** Does what the operator asks for at its start, and no more, and never a delete. */
const ofDefinitions = (env: TestEnv): readonly string[] =>
  env.requests
    .of({ resource: 'customresourcedefinitions.apiextensions.k8s.io' })
    .map(({ verb }) => verb);

/** What is installed is in no namespace. */
const OWN = { name: 'mysql', controllers: operator, ownCluster: true };

test('acceptance 1, MY3: three definitions are installed into an empty cluster, and none is deleted', async () => {
  const clock = new FakeClock(Date.now());
  const place = await startExample({ ...OWN, clock });
  const { env } = place;
  await untilReadyOn(clock, place.operator);
  expect(await established(env)).toEqual(KINDS);

  expect(ofDefinitions(env)).not.toContain('delete');
});

test('acceptance 1, MY2: an older definition is upgraded, and the objects in it stay', async () => {
  const place = await startExample({ ...OWN, stopped: true });
  const { env, namespace } = place;
  const before = structuredClone(clusters.definition) as unknown as OldDefinition;
  for (const version of before.spec.versions) {
    delete version.schema.openAPIV3Schema.properties.spec.properties.xtrabackupImage;
  }
  const older = definition({ ...clusters, definition: before as never });
  const release = startOperator({ url: env.url, controllers: [older] });
  onTestFinished(() => release.stop());
  await eventually(async () => (await established(env)).length === 1);
  await release.stop();
  await place.apply(CLUSTER);
  const read = (): Promise<KubernetesObject | undefined> =>
    env.get(VERSION, 'MySQLCluster', namespace, 'my-cluster');
  const old = await read();
  expect(old).not.toHaveProperty('spec.xtrabackupImage');

  place.startOperator();
  const upgraded = await eventually(async () => {
    const live = await read();
    expect(live).toHaveProperty('spec.xtrabackupImage');
    return live;
  });

  expect(upgraded.metadata.uid).toBe(old?.metadata.uid);
});

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

test('acceptance 2: without the rights it is not ready, says which is missing, and goes on when somebody installs them', async () => {
  const env = await startTestEnv({ backend: 'embedded', embedded: { authorization: 'RBAC' } });
  onTestFinished(() => env.stop());
  const namespace = await env.namespace();
  const serviceAccount = { name: 'mysql', namespace };
  const placement = { namespaces: [namespace] };
  const granted = rbac(operator, { ...placement, name: 'mysql', serviceAccount });
  const roles = granted.filter(({ kind }) => !kind.startsWith('Cluster'));
  await env.apply(roles as unknown as readonly KubernetesObject[], { namespace });
  const ambassador = new StandInAmbassador({
    server: await env.server.urlFor(`system:serviceaccount:${namespace}:mysql`),
    filter: proxyFilter(operator, placement),
  });
  await ambassador.start();
  onTestFinished(() => ambassador.kill());
  const clock = new FakeClock(Date.now());
  const running = startOperator({ url: ambassador.url, namespace, controllers: operator, clock });
  onTestFinished(() => running.stop());

  const missing = await eventually(() => {
    clock.advance(100);
    const found = running.log.filter(({ fields }) => String(fields.err).includes('no right to'));
    return found.length >= 3 && found;
  });
  expect(running.ready).toBe(false);
  await env.apply(DEFINITIONS);
  await untilReadyOn(clock, running);
  await env.apply(CLUSTER, { namespace });
  await eventually(() => env.get('apps/v1', 'StatefulSet', namespace, 'my-cluster'));

  const text = missing.map(({ fields }) => String(fields.err)).join('\n');
  expect(text).toContain(
    `no right to get customresourcedefinitions.apiextensions.k8s.io mysqlclusters.${GROUP}`,
  );
  expect(missing.map(({ level }) => level)).not.toContain('debug');
});

test('the kind of the README of the original is refused with what to write instead', async () => {
  const env = await startTestEnv({ backend: 'embedded' });
  onTestFinished(() => env.stop());
  const namespace = await env.namespace();
  await env.apply(new URL('mysqlbackups.yaml', DEFINITIONS));

  const refused = env.create({
    apiVersion: 'cr.mysqlbackup.grtl.github.com/v1',
    kind: 'MySQLBackup',
    metadata: { name: 'my-backup', namespace },
    ...{ spec: { cluster: 'my-cluster', time: '*/5 * * * *' } },
  });

  await expect(refused).rejects.toThrow('write kind: MySQLBackupSchedule');
});
