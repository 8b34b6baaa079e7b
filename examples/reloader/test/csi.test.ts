/** SecretProviderClasses, by stubs of the definitions of the Secrets Store CSI driver. */
import { eventually } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import { hashOfProviderStatus } from '../contract/hash.ts';
import { BASELINE } from '../record/baseline.ts';
import { APP, AUTO, type Data, type Reloading, startReloader } from './support/start.ts';

const VARIABLE = 'STAKATER_VAULT_SECRETPROVIDERCLASS';
const GROUP = 'secrets-store.csi.x-k8s.io/v1';

const csi = (...args: readonly string[]) =>
  startReloader({
    args: ['--enable-csi-integration', ...args],
    manifests: [new URL('crds/secrets-store.yaml', import.meta.url)],
  });

/** A Deployment whose container mounts the SecretProviderClass `vault`. */
function web(reloader: Reloading, annotations: Data = AUTO): Promise<void> {
  const volumeAttributes = { secretProviderClass: 'vault' };
  const csiVolume = { driver: 'secrets-store.csi.k8s.io', readOnly: true, volumeAttributes };
  const spec = {
    containers: [{ ...APP, volumeMounts: [{ name: 'store', mountPath: '/store' }] }],
    volumes: [{ name: 'store', csi: csiVolume }],
  };
  return reloader.workload('web', { annotations, spec });
}

const statusOf = (version: string) => ({
  secretProviderClassName: 'vault',
  mounted: true,
  objects: [{ id: 'secret/db', version }],
});

const hashOf = (version: string): string => hashOfProviderStatus(statusOf(version));

/** The driver mounts into a new Pod. */
async function mounts({ env, namespace }: Reloading, pod: string, version: string) {
  const kind = 'SecretProviderClassPodStatus';
  const metadata = { name: `${pod}-vault`, namespace };
  const status = { ...statusOf(version), podName: pod };
  await env.create({ apiVersion: GROUP, kind, metadata, status } as never);
}

/** The rotation of the driver changes what a running Pod has. */
async function rotates({ env, namespace }: Reloading, pod: string, version: string) {
  const status = { objects: [{ id: 'secret/db', version }] };
  await env.patch(GROUP, 'SecretProviderClassPodStatus', namespace, `${pod}-vault`, { status });
}

function ends({ env, namespace }: Reloading, pod: string): Promise<void> {
  return env.delete(GROUP, 'SecretProviderClassPodStatus', namespace, `${pod}-vault`);
}

/** The baseline has the hash of this version. */
function recorded(reloader: Reloading, version: string): Promise<unknown> {
  return eventually(
    async () => {
      const { metadata } = await reloader.live('web');
      return metadata.annotations?.[BASELINE]?.includes(hashOf(version));
    },
    { timeoutMs: 30_000 },
  );
}

describe('[reloader 24] a rotation', () => {
  test('[reloader R26] a rotation restarts a workload once, although the status of each Pod changes at another time', async () => {
    const reloader = await csi();
    for (const pod of ['a', 'b', 'c']) await mounts(reloader, pod, 'v1');
    await web(reloader);
    await recorded(reloader, 'v1');

    await rotates(reloader, 'a', 'v2');
    await reloader.rolledOut('web', 1);
    await rotates(reloader, 'b', 'v2');
    await mounts(reloader, 'd', 'v2');
    await ends(reloader, 'a');
    await ends(reloader, 'b');
    await reloader.handled();
    await rotates(reloader, 'c', 'v2'); // the last of the old Pods
    await reloader.handled();
    await ends(reloader, 'c');
    await reloader.handled();

    expect(reloader.rollouts('web')).toBe(1);
    expect(await reloader.variables('web')).toEqual({ [VARIABLE]: hashOf('v2') });
  });

  test('a rotation while the operator is down restarts a workload once', async () => {
    const reloader = await csi();
    await mounts(reloader, 'a', 'v1');
    await web(reloader);
    await recorded(reloader, 'v1');
    await reloader.operator.stop();
    await rotates(reloader, 'a', 'v2');

    reloader.startOperator();
    await reloader.rolledOut('web', 1);
    await reloader.handled();

    expect(reloader.rollouts('web')).toBe(1);
  });

  test('[reloader R26] new Pods alone restart nothing, and rotated content is compared with the content with which the Pods started', async () => {
    const reloader = await csi();
    await mounts(reloader, 'a', 'v1');
    await web(reloader);
    await recorded(reloader, 'v1');

    await mounts(reloader, 'b', 'v2');
    await reloader.handled();
    expect(await reloader.recorded('web')).toMatchObject({
      'secretproviderclass/vault': hashOf('v1'),
    });
    await ends(reloader, 'a');
    await recorded(reloader, 'v2');
    expect(reloader.rollouts('web')).toBe(0);

    await rotates(reloader, 'b', 'v1'); // back again
    await reloader.rolledOut('web', 1);
    expect(await reloader.variables('web')).toEqual({ [VARIABLE]: hashOf('v1') });
  });

  test('[reloader R26] a rotation restarts a workload if one Pod has older content than a newer Pod', async () => {
    const reloader = await csi();
    await mounts(reloader, 'a', 'v1');
    await web(reloader);
    await recorded(reloader, 'v1');

    await mounts(reloader, 'b', 'v2');
    await reloader.handled();
    await rotates(reloader, 'a', 'v2');
    await reloader.rolledOut('web', 1);

    expect(await reloader.variables('web')).toEqual({ [VARIABLE]: hashOf('v2') });
  });
});

test('a workload with different credentials for each Pod does not restart because of new Pods', async () => {
  const reloader = await csi();
  await mounts(reloader, 'a', 'own-1');
  await web(reloader);
  await recorded(reloader, 'own-1');

  await rotates(reloader, 'a', 'own-2');
  await reloader.rolledOut('web', 1);
  await mounts(reloader, 'b', 'own-3');
  await ends(reloader, 'a');
  await recorded(reloader, 'own-3');
  await mounts(reloader, 'c', 'own-4');
  await ends(reloader, 'b');
  await recorded(reloader, 'own-4');
  await reloader.handled();

  expect(reloader.rollouts('web')).toBe(1);
});

test('the missing status of a workload without Pods counts neither as a deletion nor as a creation', async () => {
  const reloader = await csi('--reload-on-delete=true', '--reload-on-create=true');
  await mounts(reloader, 'a', 'v1');
  await web(reloader);
  await recorded(reloader, 'v1');
  await rotates(reloader, 'a', 'v2');
  await reloader.rolledOut('web', 1);

  await ends(reloader, 'a');
  await reloader.handled();
  await mounts(reloader, 'b', 'v2');
  await reloader.handled();

  expect(reloader.rollouts('web')).toBe(1);
  expect(await reloader.variables('web')).toEqual({ [VARIABLE]: hashOf('v2') });
});

test('[reloader 24] the annotations `ignore` and `match` of a SecretProviderClass take effect', async () => {
  const reloader = await csi();
  const annotations = { 'reloader.stakater.com/match': 'true' };
  const kind = 'SecretProviderClass';
  const { env, namespace } = reloader;
  await env.create({
    apiVersion: GROUP,
    kind,
    metadata: { name: 'vault', namespace, annotations },
  });
  await mounts(reloader, 'a', 'v1');
  await web(reloader, { 'reloader.stakater.com/search': 'true' });
  await recorded(reloader, 'v1');

  await rotates(reloader, 'a', 'v2');
  await reloader.rolledOut('web', 1);
  const ignore = { metadata: { annotations: { 'reloader.stakater.com/ignore': 'true' } } };
  await env.patch(GROUP, kind, namespace, 'vault', ignore);
  await reloader.handled();
  await rotates(reloader, 'a', 'v3');
  await reloader.handled();

  expect(reloader.rollouts('web')).toBe(1);
});

test('without the CSI driver in the cluster, ConfigMaps still restart their workloads', async () => {
  const reloader = await startReloader({ args: ['--enable-csi-integration'] });
  await reloader.config('app', { mode: 'slow' });
  const container = { ...APP, envFrom: [{ configMapRef: { name: 'app' } }] };
  await reloader.workload('web', { annotations: AUTO, spec: { containers: [container] } });
  await reloader.recorded('web');

  await reloader.config('app', { mode: 'fast' });
  await reloader.rolledOut('web', 1);

  expect(Object.keys(await reloader.variables('web'))).toEqual(['STAKATER_APP_CONFIGMAP']);
});
