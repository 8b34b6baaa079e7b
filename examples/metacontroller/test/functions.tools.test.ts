/**
 * The Python server and the bash program of this example answer what their stand-ins in Node answer.
 *
 * @module-tag jq
 * @module-tag bash
 * @module-tag python3
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import * as catSet from '../../../packages/metacontroller/test/functions/cat-set.ts';
import * as servicePerPod from '../../../packages/metacontroller/test/functions/service-per-pod.ts';

const PROGRAMS = new URL('../functions/', import.meta.url);

const CATS = {
  metadata: { name: 'cats', namespace: 'farm' },
  spec: {
    replicas: 3,
    serviceName: 'cats',
    template: { metadata: { labels: { app: 'cats' } }, spec: { containers: [{ name: 'web' }] } },
    volumeClaimTemplates: [{ metadata: { name: 'www' }, spec: { accessModes: ['ReadWriteOnce'] } }],
  },
};

function pod(name: string, ready: string, phase: string = 'Running', deleted: boolean = false) {
  const deletion = deleted ? { deletionTimestamp: '2030-01-01T00:00:00Z' } : {};
  const conditions = [{ type: 'Ready', status: ready }];
  return { [`farm/${name}`]: { metadata: { name, ...deletion }, status: { phase, conditions } } };
}

const claim = (name: string) => ({ [`farm/${name}`]: { metadata: { name } } });

const ALL = { ...pod('cats-0', 'True'), ...pod('cats-1', 'True'), ...pod('cats-2', 'True') };

test.each([
  ['has no Pod yet', CATS, {}, {}, false],
  ['has one Pod that is not ready', CATS, pod('cats-0', 'False'), claim('www-cats-0'), false],
  ['has one ready Pod', CATS, pod('cats-0', 'True'), {}, false],
  ['has all its Pods', CATS, ALL, {}, false],
  [
    'has one Pod that is being deleted',
    CATS,
    { ...ALL, ...pod('cats-1', 'True', 'Running', true) },
    {},
    false,
  ],
  [
    'has two Pods too many',
    { ...CATS, spec: { ...CATS.spec, replicas: 1 } },
    ALL,
    claim('www-cats-2'),
    false,
  ],
  [
    'has Pods of another name',
    CATS,
    { ...pod('cats-x', 'True'), ...pod('dogs-0', 'True') },
    {},
    false,
  ],
  ['has a failed Pod', CATS, pod('cats-0', 'True', 'Failed'), {}, false],
  ['is being deleted', CATS, ALL, claim('www-cats-0'), true],
  ['is being deleted and has no Pods', CATS, {}, claim('www-cats-0'), true],
  [
    'has no claims',
    { ...CATS, spec: { ...CATS.spec, volumeClaimTemplates: undefined } },
    {},
    {},
    false,
  ],
])('for a CatSet that %s, the Python server gives the same response as the TypeScript function', async (_, parent, pods, claims, finalizing) => {
  const url = await pythonServer();
  const request = {
    parent,
    children: { 'Pod.v1': pods, 'PersistentVolumeClaim.v1': claims },
    finalizing,
  };

  const answer = await fetch(`${url}/sync`, { method: 'POST', body: JSON.stringify(request) });

  expect(answer.status).toBe(200);
  expect(await answer.json()).toEqual(plain(catSet.sync(JSON.parse(JSON.stringify(request)))));
});

test.each([
  ['of three Pods', { replicas: 3 }, '80:8080', {}, false],
  ['without a number of replicas', {}, '80:8080,443:8443', {}, false],
  [
    'that is being deleted',
    { replicas: 3 },
    '80:80',
    { 'farm/web-0': { metadata: { name: 'web-0' } } },
    true,
  ],
  ['that is being deleted and has no Services', { replicas: 3 }, '80:80', {}, true],
])('for a StatefulSet %s, the bash program gives the same output as the TypeScript function', async (_, spec, ports, services, finalizing) => {
  const annotations = { 'service-per-pod-label': 'pod-name', 'service-per-pod-ports': ports };
  const request = {
    object: { metadata: { name: 'web', annotations }, spec },
    attachments: { 'Service.v1': services },
    finalizing,
  };

  const answer = await run('service-per-pod.sh', JSON.stringify(request));

  expect(answer).toEqual(plain(servicePerPod.sync(request)));
});

test('the bash program exits with an error for an unusable request', async () => {
  await expect(run('service-per-pod.sh', '{"object": {}}')).rejects.toThrow('ended with 5');
});

/** As JSON has it. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** Its URL. It ends with the test. */
async function pythonServer(): Promise<string> {
  const server = spawn(fileURLToPath(new URL('cat-set.py', PROGRAMS)), {
    env: { PATH: process.env.PATH, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void server.kill());
  const [line] = await once(createInterface({ input: server.stdout }), 'line');
  return line as string;
}

async function run(program: string, input: string): Promise<unknown> {
  const child = spawn(fileURLToPath(new URL(program, PROGRAMS)), {
    env: { PATH: process.env.PATH },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.end(input);
  const [answer, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (code !== 0) throw new Error(`${program} ended with ${code}`);
  return JSON.parse(answer);
}
