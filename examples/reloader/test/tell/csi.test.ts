/** SecretProviderClasses, for the webhook and for `explain`, by stubs of the definitions of the driver. */
import { eventually } from '@chancery/testing';
import { restClient, systemClock, undiciTransport } from 'chancery/low-level';
import { expect, onTestFinished, test } from 'vitest';
import program from '../../operator.ts';
import { BASELINE } from '../../record/baseline.ts';
import { APP, AUTO, type Reloading, startReloader } from '../support/start.ts';
import { serve, status } from './servers.ts';

const GROUP = 'secrets-store.csi.x-k8s.io/v1';
const KIND = 'SecretProviderClassPodStatus';
const CSI = '--enable-csi-integration';
const PATIENT = { timeoutMs: 30_000 };

const start = (...args: readonly string[]): Promise<Reloading> =>
  startReloader({
    args: [CSI, ...args],
    manifests: [new URL('../crds/secrets-store.yaml', import.meta.url)],
    stopped: true,
  });

const objectsOf = (version: string) => [{ id: 'secret/db', version }];

/** What the driver has mounted into a new Pod. */
async function mounts({ env, namespace }: Reloading, pod: string): Promise<void> {
  const metadata = { name: `${pod}-vault`, namespace };
  const mounted = { secretProviderClassName: 'vault', objects: objectsOf('v1') };
  await env.create({ apiVersion: GROUP, kind: KIND, metadata, status: mounted } as never);
}

async function rotates({ env, namespace }: Reloading, pod: string): Promise<void> {
  const next = { status: { objects: objectsOf('v2') } };
  await env.patch(GROUP, KIND, namespace, `${pod}-vault`, next);
}

test('[reloader 22] a rotation causes one webhook call, however many Pods it changes', async () => {
  const server = await serve(status(200));
  const reloader = await start(`--webhook-url=${server.url}`, '--cloud-events');
  for (const pod of ['a', 'b']) await mounts(reloader, pod);
  reloader.startOperator();
  await reloader.idle();

  await rotates(reloader, 'a');
  await eventually(() => server.received.length === 1, PATIENT);
  await rotates(reloader, 'b');
  await reloader.config('end', { mode: '1' });
  await reloader.idle();

  expect(server.received.map(({ body }) => JSON.parse(body) as unknown)).toMatchObject([
    { subject: `${reloader.namespace}/secretproviderclass/vault`, data: { action: 'updated' } },
  ]);
});

test('[reloader 28] `explain` describes a rotation for which nothing was restarted yet', async () => {
  const reloader = await start();
  await mounts(reloader, 'a');
  const csi = {
    driver: 'secrets-store.csi.k8s.io',
    volumeAttributes: { secretProviderClass: 'vault' },
  };
  await reloader.workload('web', {
    annotations: AUTO,
    spec: {
      containers: [{ ...APP, volumeMounts: [{ name: 'store', mountPath: '/store' }] }],
      volumes: [{ name: 'store', csi }],
    },
  });
  reloader.startOperator();
  await eventually(
    async () => (await reloader.live('web')).metadata.annotations?.[BASELINE],
    PATIENT,
  );
  await reloader.operator.stop();
  await rotates(reloader, 'a');

  const args = ['explain', 'deploy/web', CSI, '--namespace', reloader.namespace];
  const { command } = await program.create({ args, environment: {} });
  const transport = undiciTransport(reloader.env.url);
  onTestFinished(() => transport.close());
  let printed = '';
  await command?.({
    client: restClient({ transport, fieldManager: 'test', clock: systemClock }),
    stdout: { write: (text: string) => (printed += text) },
    stderr: { write: () => {} },
    signal: new AbortController().signal,
    clock: systemClock,
  });

  expect(printed).toContain('A restart is due now, because of secretproviderclass/vault.');
});
