/**
 * A real API server calls a real gate, which passes reviews to an operator. It needs etcd, too, in the folder that
 * KUBEBUILDER_ASSETS names.
 *
 * @module-tag kube-apiserver
 * @module-tag kubectl
 * @module-tag nginx
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { configMap, eventually, startTestEnv, type TestEnv } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { KubernetesObject } from '../../operator/model/object.ts';
import type { Webhook } from '../../operator/webhook/webhook.ts';
import { webhookEntry } from '../../operator/webhook/webhook-entry.ts';
import { pathOf } from '../tools/tools.ts';
import { creators, hosts } from './modules/hosts-webhooks.ts';
import { GateProcess } from './support/gate-process.ts';
import { OperatorProcess } from './support/operator-process.ts';

const MODULE = fileURLToPath(new URL('modules/hosts-webhooks.ts', import.meta.url));

interface World {
  readonly env: TestEnv;
  readonly gate: GateProcess;
  readonly namespace: string;
  /** `kubectl create` of a ConfigMap with that host. */
  create(name: string, host: string, ...flags: string[]): Promise<Said>;
}

interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** @param policy - of the validating webhook. */
async function start(policy: Webhook['failurePolicy']): Promise<World> {
  const operator = await OperatorProcess.start({}, MODULE);
  onTestFinished(() => operator.stop());
  const paths = [hosts, creators].map(({ path, timeoutSeconds }) => ({ path, timeoutSeconds }));
  const gate = await GateProcess.start({ paths, operator: operator.address, names: ['localhost'] });
  onTestFinished(() => gate.stop());
  const env = await startTestEnv({ backend: 'kubebuilder' });
  onTestFinished(() => env.stop());
  const namespace = await env.namespace();
  const called = ({ path, ...webhook }: Webhook, failurePolicy: Webhook['failurePolicy']) => ({
    ...webhookEntry({ ...webhook, path, failurePolicy }, 'kube-system'),
    clientConfig: {
      url: `https://localhost:${gate.port}${path}`,
      caBundle: Buffer.from(gate.authority.certificate).toString('base64'),
    },
  });
  const configuration = (kind: string, entry: object): KubernetesObject =>
    ({
      ...{ apiVersion: 'admissionregistration.k8s.io/v1', kind },
      metadata: { name: 'hosts' },
      webhooks: [entry],
    }) as unknown as KubernetesObject;
  await env.apply([
    configuration('ValidatingWebhookConfiguration', called(hosts, policy)),
    configuration('MutatingWebhookConfiguration', called(creators, 'Ignore')),
  ]);
  const world: World = {
    ...{ env, gate, namespace },
    create: (name, host, ...flags) =>
      kubectl(
        ['create', '-f', '-', `--server=${env.url}`, ...flags],
        JSON.stringify(configMap(name, { namespace, data: { host } })),
      ),
  };
  await eventually(async () => (await world.create('no', 'a b', '--dry-run=server')).code !== 0, {
    timeoutMs: 30_000,
  });
  return world;
}

async function kubectl(args: readonly string[], input: string): Promise<Said> {
  const child = spawn(pathOf('kubectl'), args, {
    env: { HOME: '/nonexistent', KUBERC: 'off', NO_PROXY: '*' },
  });
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  return { code, stdout, stderr };
}

test('[admission 9] a real API server sends reviews through the gate, whatever the response', async () => {
  const { env, namespace, create } = await start('Fail');
  const live = (name: string) => env.get('v1', 'ConfigMap', namespace, name);

  const allowed = await create('good', 'shop.example');
  const warned = await create('local', 'shop.test');
  const refused = await create('bad', 'shop example');
  const forbidden = await create('old', 'shop-old');
  const tried = await create('tried', 'shop.test', '--dry-run=server', '-o=json');

  expect(allowed).toMatchObject({ code: 0, stderr: '' });
  expect((await live('good'))?.metadata.annotations).toMatchObject({
    'example.com/by': expect.stringMatching(/./),
  });
  expect(warned.code).toBe(0);
  expect(warned.stderr).toContain('Warning: .test is not public');
  expect(refused.code).toBe(1);
  expect(refused.stderr).toBe('The ConfigMap "bad" is invalid: data.host: a host has no blanks\n');
  expect(forbidden.code).toBe(1);
  expect(forbidden.stderr).toMatch(
    /Error from server \(Forbidden\): .*admission webhook "hosts\.configmaps\.example\.com" denied the request: old hosts are kept by hand/,
  );
  expect(await live('bad')).toBeUndefined();
  expect(JSON.parse(tried.stdout).metadata.annotations).toHaveProperty(['example.com/by']);
  expect(await live('tried')).toBeUndefined();
}, 120_000);

test.for([
  ['Fail', 1, 'failed calling webhook "hosts.configmaps.example.com"'],
  ['Ignore', 0, ''],
] as const)('[admission 10] while the gate is down, with failurePolicy %s kubectl exits with %i', {
  timeout: 120_000,
}, async ([policy, code, said]) => {
  const { gate, create } = await start(policy);

  await gate.kill();
  const during = await create('during', 'shop example');
  await gate.again();
  const after = await create('after', 'shop example');

  expect(during.code).toBe(code);
  expect(during.stderr).toContain(said);
  expect(after.stderr).toContain('a host has no blanks');
});
