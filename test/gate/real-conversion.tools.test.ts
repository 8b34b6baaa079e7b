/**
 * A real API server has objects converted through a real gate. It needs etcd, too, in the folder that
 * KUBEBUILDER_ASSETS names.
 *
 * @module-tag kube-apiserver
 * @module-tag kubectl
 * @module-tag nginx
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { eventually, startTestEnv, type TestEnv } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { answerConversion } from '../../operator/webhook/answer-conversion.ts';
import { invoke } from '../cli/invocation.ts';
import { boats } from '../schema/conversion/boats.ts';
import { pathOf } from '../tools/tools.ts';
import { GateProcess } from './support/gate-process.ts';
import { PlainOperator } from './support/reviews.ts';

const NAME = 'boats.harbour.example';
const GROUP = 'harbour.example';
const run = promisify(execFile);

interface World {
  readonly env: TestEnv;
  readonly namespace: string;
  readonly operator: PlainOperator;
  readonly define: (stored: string) => Promise<void>;
  readonly create: (name: string, version: string, spec: object) => Promise<KubernetesObject>;
  readonly read: (name: string, version: string) => Promise<KubernetesObject | undefined>;
}

async function converted({ body }: { readonly body: string }): Promise<{ body: string }> {
  return { body: JSON.stringify(await answerConversion([boats], JSON.parse(body))) };
}

async function start(stored: string): Promise<World> {
  const operator = await PlainOperator.start();
  onTestFinished(() => operator.stop());
  operator.answer = converted;
  const gate = await GateProcess.start({
    paths: [{ path: '/convert', timeoutSeconds: 30 }],
    operator: operator.address,
    names: ['localhost'],
  });
  onTestFinished(() => gate.stop());
  const env = await startTestEnv({ backend: 'kubebuilder' });
  onTestFinished(() => env.stop());
  const namespace = await env.namespace();
  const clientConfig = {
    url: `https://localhost:${gate.port}/convert`,
    caBundle: Buffer.from(gate.authority.certificate).toString('base64'),
  };
  const define = async (version: string): Promise<void> => {
    const definition = structuredClone(boats.definition) as unknown as {
      spec: { versions: { name: string; storage: boolean }[]; conversion?: object };
    };
    for (const each of definition.spec.versions) each.storage = each.name === version;
    const webhook = { clientConfig, conversionReviewVersions: ['v1'] };
    definition.spec.conversion = { strategy: 'Webhook', webhook };
    await env.apply([definition as unknown as KubernetesObject]);
  };
  await define(stored);
  // Discovery shows a definition later than its condition Established does.
  for (const { name } of boats.definition.spec.versions) {
    const served = (): Promise<boolean> =>
      env.list(`${GROUP}/${name}`, 'Boat', namespace).then(
        () => true,
        () => false,
      );
    await eventually(served);
  }
  return {
    ...{ env, namespace, operator, define },
    create: (name, version, spec) =>
      env.create({
        ...{ apiVersion: `${GROUP}/${version}`, kind: 'Boat', metadata: { name, namespace } },
        ...{ spec },
      } as KubernetesObject),
    read: (name, version) => env.get(`${GROUP}/${version}`, 'Boat', namespace, name),
  };
}

test('[admission 17] objects are read as they were written, singly and in a list, in any storage version', async () => {
  const { env, namespace, create, read } = await start('v1');
  const spec = { length: '12m', sails: 3, crew: ['eve', 'dan'], color: 'blue' };
  await create('ann', 'v1alpha1', spec);
  for (let at = 0; at < 60; at++) await create(`boat-${at}`, 'v1beta1', { meters: at });

  const list = await env.list<KubernetesObject>(`${GROUP}/v1alpha1`, 'Boat', namespace);
  const stored = await read('ann', 'v1');
  const back = await read('ann', 'v1alpha1');

  const lengths = list.map((each) => (each as unknown as { spec: { length: string } }).spec.length);
  const made = Array.from({ length: 60 }, (_none, at) => `${at}m`);
  expect(lengths.toSorted()).toEqual([...made, '12m'].toSorted());
  expect(stored).toMatchObject({ spec: { hull: { meters: 12 }, rig: { sails: 3 } } });
  expect((back as unknown as { spec: object }).spec).toEqual(spec);
}, 120_000);

test('[admission 18] kubectl prints the message of a failed conversion, until its cause is removed', async () => {
  const { env, namespace, operator, create } = await start('v1');
  await create('ann', 'v1alpha1', { length: '7m' });
  const kubectl = () =>
    run(
      pathOf('kubectl'),
      [
        ...['get', `boats.v1alpha1.${GROUP}`, 'ann', '-o=jsonpath={.spec.length}'],
        ...[`--namespace=${namespace}`, `--server=${env.url}`],
      ],
      { env: { HOME: '/nonexistent', KUBECONFIG: '/dev/null' } },
    );
  operator.answer = ({ body }) => ({
    body: JSON.stringify({
      ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview' },
      response: {
        uid: JSON.parse(body).request.uid,
        convertedObjects: [],
        result: { status: 'Failure', message: 'ann has no keel' },
      },
    }),
  });

  const failed = await kubectl().catch((error: { readonly stderr: string }) => error);
  operator.answer = converted;
  const after = await kubectl();

  expect(failed.stderr).toContain(
    `conversion webhook for ${GROUP}/v1, Kind=Boat failed: ann has no keel`,
  );
  expect(after.stdout).toBe('7m');
}, 120_000);

test('[admission 19] after `chancery migrate` storedVersions has only the new version', async () => {
  const { env, define, create, read } = await start('v1beta1');
  for (const name of ['ann', 'bea', 'cid']) await create(name, 'v1beta1', { meters: 4 });
  await define('v1');
  const stored = async (): Promise<unknown> => {
    const kind = 'CustomResourceDefinition';
    const live = await env.get<KubernetesObject>('apiextensions.k8s.io/v1', kind, undefined, NAME);
    return (live as unknown as { status: { storedVersions: unknown } }).status.storedVersions;
  };
  await eventually(async () => JSON.stringify(await stored()) === '["v1beta1","v1"]');

  const { exit, stdout } = invoke(['migrate', NAME, '--server', env.url]);

  expect(await exit).toBe(0);
  expect(stdout.lines).toContain(`${NAME}: 3 objects written`);
  expect(await stored()).toEqual(['v1']);
  expect(await read('bea', 'v1beta1')).toMatchObject({ spec: { meters: 4 } });
}, 120_000);
