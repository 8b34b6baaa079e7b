/**
 * Hooks behind the real gate: a real kubectl, the embedded API server, nginx with the generated configuration, the runner, and the process of a hook.
 *
 * @module-tag nginx
 * @module-tag kubectl
 */
import { join } from 'node:path';
import { startOperator } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { servedPaths } from '../../../../operator/generate/webhook/webhooks-options.ts';
import { withConversionClient } from '../../../../operator/model/custom-resource-definition.ts';
import { webhookEntry } from '../../../../operator/webhook/webhook-entry.ts';
import { GateProcess } from '../../../../test/gate/support/gate-process.ts';
import { Session } from '../../../../test/tools/kubectl-session.ts';
import { CRD_NAME, converting, cronTab, crontabs, GROUP } from '../support/crontabs.ts';
import { hooksFolder, loadFolder } from '../support/place.ts';
import { CONFIG_MAPS, reviewHook } from '../support/reviewing.ts';

const NAME = 'colours.shop.example.com';

const COLOURS = reviewHook(
  { kubernetesValidating: [{ name: NAME, rules: [CONFIG_MAPS] }] },
  `const { colour } = context.review.request.object.data;
if (colour === 'black') process.exit(1);
if (colour === 'red') answer({ allowed: false, message: 'red is for stops' });
else answer({ allowed: true, warnings: colour === 'green' ? ['green will go away'] : [] });`,
);

/** `never` is no schedule. */
const SCHEDULES = reviewHook(
  converting('v1beta1 v1', 'v1 v1beta1'),
  `const { toVersion, review: { request: { objects } } } = context;
if (objects.some(({ spec }) => spec.schedule === 'never')) convert({ failedMessage: 'never is no schedule' });
else convert({ convertedObjects: objects.map((object) => ({ ...object, apiVersion: '${GROUP}/' + toVersion })) });`,
);

/** An API server that asks the hooks through the gate, and a kubectl that speaks to it. */
async function startBehindGate(): Promise<Session> {
  const { dir } = await hooksFolder({
    files: { 'colours.js': COLOURS, 'schedules.js': SCHEDULES },
  });
  const session = await Session.start();
  const program = await loadFolder(dir, {
    options: { definitions: [crontabs('v1beta1', 'v1')], tmpDir: join(dir, '../tmp') },
  });
  const { answering, runnable, webhooks } = program;
  const operator = startOperator({
    url: session.server.url,
    controllers: [],
    runnables: [runnable, ...(answering ? [answering] : [])],
    webhooks,
  });
  onTestFinished(() => operator.stop());
  await operator.untilReady();
  const gate = await GateProcess.start({
    paths: servedPaths({ certificates: 'pod', image: 'gate:1', webhooks, conversions: [CRD_NAME] }),
    operator: new URL(operator.webhookAddress ?? '').host,
    names: ['localhost'],
  });
  onTestFinished(() => gate.stop());
  const clientOf = (path: string) => ({
    url: `https://localhost:${gate.port}${path}`,
    caBundle: Buffer.from(gate.authority.certificate).toString('base64'),
  });
  session.server.create({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'hooks' },
    webhooks: webhooks.map((webhook) => ({
      ...webhookEntry(webhook, 'kube-system'),
      clientConfig: clientOf(webhook.path),
    })),
  });
  for (const { definition } of answering?.definitions ?? []) {
    session.server.create({ ...withConversionClient(definition, clientOf('/convert')) });
  }
  return session;
}

test('[hooks 26] through the gate, the writes of kubectl are allowed, denied or warned about, and a failing hook denies them', async () => {
  const session = await startBehindGate();
  const create = (name: string, colour: string) =>
    session.try(['create', 'configmap', name, `--from-literal=colour=${colour}`]);

  const blue = await create('a', 'blue');
  const green = await create('b', 'green');
  const red = await create('c', 'red');
  const black = await create('d', 'black');

  expect(blue).toMatchObject({ code: 0, stderr: '' });
  expect(green).toMatchObject({ code: 0, stderr: 'Warning: green will go away\n' });
  expect(red.code).toBe(1);
  expect(red.stderr).toContain(`admission webhook "${NAME}" denied the request: red is for stops`);
  expect(black.code).toBe(1);
  expect(black.stderr).toContain('denied the request: Hook failed: colours.js');
});

test('[hooks 27] through the gate, kubectl reads another version, and gets the message of a hook that refuses', async () => {
  const session = await startBehindGate();
  const apply = (name: string, schedule: string) =>
    session.try(['apply', '-f', '-'], {
      input: JSON.stringify(
        cronTab('v1beta1', name, { schedule }, { namespace: 'default', uid: undefined }),
      ),
    });

  const hourly = await apply('hourly', '0 * * * *');
  const read = await session.try([
    'get',
    `crontabs.v1.${GROUP}`,
    'hourly',
    '-o',
    'jsonpath={.apiVersion}',
  ]);
  const idle = await apply('idle', 'never');

  expect(hourly).toMatchObject({ code: 0 });
  expect(read).toMatchObject({ code: 0, stdout: `${GROUP}/v1` });
  expect(idle.code).toBe(1);
  expect(idle.stderr).toContain('never is no schedule');
});
