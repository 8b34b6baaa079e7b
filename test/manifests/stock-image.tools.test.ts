/**
 * Trees whose ambassador is an image of kubectl alone: as kubectl renders them, and what a kubectl does that
 * is started as the Deployment says.
 *
 * @module-tag kubectl
 */
import { expect, test } from 'vitest';
import { lint } from '../../operator/generate/lint/lint.ts';
import { operatorManifests } from '../../operator/generate/manifests/operator-manifests.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { startKubectlWith } from '../proxy/support/image.ts';
import { split } from '../proxy/support/requests.ts';
import { REFUSED, send } from '../proxy/support/send.ts';
import { startUpstream } from '../proxy/support/upstream.ts';
import { type Container, containerNamed, expand, podSpec, render } from './support/rendered.ts';
import { CONFIG_RESTART, options, overlay, written } from './support/trees.ts';

const DIGEST = `@sha256:${'0'.repeat(64)}`;
const STOCK = `registry.k8s.io/kubectl${DIGEST}`;
const EVERYTHING = [
  'namespaced',
  'unix-socket',
  'network-policy',
  'high-availability',
  'prometheus',
  'debug',
  'native-sidecar',
];

/** One overlay of a tree with this ambassador. */
async function rendered(
  ambassador: string,
  components: readonly string[],
): Promise<readonly KubernetesObject[]> {
  const images = { ambassador, operator: `operator${DIGEST}` };
  const files = operatorManifests(CONFIG_RESTART.controllers, options({ images }));
  const folder = await written([...files, overlay('mine', components)]);
  return render(`${folder}/mine`);
}

async function proxyOf(components: readonly string[], image: string = STOCK): Promise<Container> {
  return containerNamed(podSpec(await rendered(image, components)), 'proxy');
}

/** kubectl as the kubelet starts it in that container. */
async function started(
  server: string,
  { command, args = [], env = [] }: Container,
): Promise<string> {
  const known = { POD_NAMESPACE: 'demo' };
  const variables = env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]));
  const [program, ...words] = [...(command as readonly string[]), ...args];
  expect(program).toBe('kubectl');
  const expanded = words.map((word) => expand(word, known));
  return startKubectlWith(server, expanded, Object.fromEntries(variables));
}

test.each<[string, readonly string[], readonly string[]]>([
  ['alone', ['namespaced'], []],
  ['in every namespace as a native sidecar', ['cluster-scoped', 'native-sidecar'], []],
  ['with every component', EVERYTHING, ['proxy-log-level', 'network-policy-filled']],
])("[I-5] lint reports the same problems for the stock image as for the toolkit's image: %s", async (_, components, rules) => {
  const stock = lint(await rendered(STOCK, components));
  const own = lint(await rendered(`chancery-proxy${DIGEST}`, components));

  expect(stock.map(({ rule }) => rule)).toEqual(rules);
  expect(own.map(({ rule }) => rule)).toEqual(rules);
});

test('[I-5] lint warns about an image with a tag and without a digest', async () => {
  const diagnostics = lint(await rendered('registry.k8s.io/kubectl:v1.37.1', ['namespaced']));

  expect(diagnostics.map(({ rule, level, path }) => `${level} ${rule} ${path}`)).toEqual([
    'warning fixed-images containers[proxy].image',
  ]);
});

test('[I-5] every program in the container is kubectl, found on the PATH of the image', async () => {
  for (const components of [['namespaced'], EVERYTHING]) {
    const proxy = await proxyOf(components);

    const probes = JSON.stringify([proxy.startupProbe, proxy.livenessProbe]);
    const programs = [...probes.matchAll(/"command":\["([^"]+)"/g)].map(([, program]) => program);
    expect(proxy.command).toEqual(['kubectl']);
    expect(proxy.args?.[0]).toBe('proxy');
    expect(new Set(programs)).toEqual(new Set(['kubectl']));
    expect(proxy.securityContext).toMatchObject({ runAsUser: 65531, runAsGroup: 65531 });
  }
});

test('[security 25] [I-5] kubectl started as in the Deployment allows exactly the declared requests', async () => {
  const upstream = await startUpstream();
  const ambassador = await started(upstream.url, await proxyOf(['namespaced']));

  const opened = await send(ambassador, 'GET', '/version');
  const refused = [];
  for (const line of [
    'GET /',
    'GET /static/',
    'GET /metrics',
    'GET /api/v1/namespaces/other/secrets',
  ]) {
    refused.push(await send(ambassador, ...split(line)));
  }
  const elsewhere = await send(ambassador, 'GET', '/version', { host: 'evil.example' });

  expect(opened.status).toBe(200);
  expect(refused).toEqual(refused.map(() => REFUSED));
  expect(elsewhere.status).toBe(403);
});
