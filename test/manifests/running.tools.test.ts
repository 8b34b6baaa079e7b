/**
 * An operator as its manifests run it: their Roles on an API server on which Roles count, their arguments
 * for the ambassador, their environment for the operator. What is missing in one of them, it would say.
 *
 * @module-tag kubectl
 */
import { readFileSync } from 'node:fs';
import { ApiServer, eventually } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { operatorManifests } from '../../operator/generate/manifests/operator-manifests.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { type Child, chancery } from '../cli/child.ts';
import { startImage } from '../proxy/support/image.ts';
import { type Container, containerNamed, expand, podSpec, render } from './support/rendered.ts';
import { startSocketImage } from './support/socket-image.ts';
import { inRepository, overlay, WEBSITE, written } from './support/trees.ts';

/** What the kubelet knows of the Pod. */
const POD: Readonly<Record<string, string>> = {
  'metadata.namespace': 'website',
  'metadata.name': 'website-0',
  'spec.nodeName': 'node-a',
};

/** Processes of their own start slowly on a machine that is busy. */
const PATIENCE = { timeoutMs: 30_000 };

interface Lease extends KubernetesObject {
  readonly spec: { readonly holderIdentity?: string };
}

test.each([
  ['namespaced', 'website'],
  ['cluster-scoped', 'elsewhere'],
])('website, %s, works with the permissions, the filter and the settings of its manifests', async (scope, namespace) => {
  const objects = await render(`examples/website/manifests/overlays/${scope}`);
  const server = await startServer(objects);
  const operator = await run(server, objects);

  server.create(site(namespace));
  const ready = await eventually(() => {
    const { status } = server.get('example.dev/v1', 'Website', namespace, 'shop') as SiteObject;
    return status?.readyReplicas === 2 ? status : undefined;
  }, PATIENCE);
  const leader = leaseOf(server)?.spec.holderIdentity;
  await eventually(() => server.list('events.k8s.io/v1', 'Event', namespace).length > 0, PATIENCE);
  operator.kill('SIGTERM');

  expect(ready.readyReplicas).toBe(2);
  expect(leader).toMatch(/^website-0/);
  expect(await operator.exit).toBe(0);
  expect(leaseOf(server)?.spec.holderIdentity).toBe('');
  expect(complaints(operator)).toEqual([]);
});

test('website works through a socket, as in a sidecar', async () => {
  const { controllers, options } = WEBSITE;
  const { components: _theirs, ...own } = options;
  const folder = await written([
    ...operatorManifests(controllers, own),
    overlay('mine', ['namespaced', 'unix-socket', 'native-sidecar']),
  ]);
  const objects = await render(`${folder}/mine`);
  const server = await startServer(objects);
  const operator = await run(server, objects);

  server.create(site('website'));
  await eventually(() => server.list('v1', 'Pod', 'website').length === 2, PATIENCE);
  operator.kill('SIGTERM');

  expect(await operator.exit).toBe(0);
  expect(leaseOf(server)?.spec.holderIdentity).toBe('');
  expect(complaints(operator)).toEqual([]);
});

test('with the base alone an operator reports its missing permissions, and writes nothing', async () => {
  const objects = await render('examples/website/manifests/base');
  const server = await startServer(objects);
  const operator = await run(server, objects);

  server.create(site('website'));
  const said = (what: string) => complaints(operator).some((line) => line.includes(what));
  await eventually(() => said('its filter does not allow it'), PATIENCE);
  await eventually(() => said('a declared right is missing'), PATIENCE);
  operator.kill('SIGTERM');

  expect(await operator.exit).toBe(0);
  expect(server.list('apps/v1', 'Deployment', 'website')).toEqual([]);
});

async function startServer(objects: readonly KubernetesObject[]): Promise<ApiServer> {
  const workloads = { podReadyMs: 20, podStopMs: 10 };
  const server = await ApiServer.start({ authorization: 'RBAC', workloads });
  onTestFinished(() => server.close());
  server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'elsewhere' } });
  server.applyManifest(readFileSync(inRepository('examples/website/crd.yaml'), 'utf8'));
  for (const object of objects) {
    const isAnothers = object.apiVersion.startsWith('cert-manager.io/');
    const isStartedBelow = ['CustomResourceDefinition', 'Deployment'].includes(object.kind);
    if (!isAnothers && !isStartedBelow) server.create(object);
  }
  return server;
}

/** The two containers, but for their images and the port between them. */
async function run(server: ApiServer, objects: readonly KubernetesObject[]): Promise<Child> {
  const spec = podSpec(objects);
  const { args = [] } = containerNamed(spec, 'proxy');
  const account = `system:serviceaccount:website:${spec.serviceAccountName}`;
  const target = await server.urlFor(account);
  const filled = args.map((arg) => expand(arg, { POD_NAMESPACE: 'website' }));
  const environment = environmentOf(containerNamed(spec, 'operator'));
  const url = environment.CHANCERY_API_URL;
  const ambassador =
    url === undefined
      ? await startImage(target, filled)
      : await startSocketImage(target, filled, url);
  return chancery(['run', inRepository('examples/website/operator.ts')], {
    ...environment,
    CHANCERY_API_URL: ambassador,
    CHANCERY_WEBHOOK_GATE: '', // there is none here, and the operator would wait for it: test/gate has one
    CHANCERY_WEBHOOK_LISTEN: '127.0.0.1:0',
  });
}

/** As the kubelet fills it in. */
function environmentOf({ env = [] }: Container): Readonly<Record<string, string>> {
  const fields = env as readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: { readonly fieldRef: { readonly fieldPath: string } };
  }[];
  return Object.fromEntries(
    fields.map(({ name, value, valueFrom }) => [
      name,
      value ?? POD[valueFrom?.fieldRef.fieldPath ?? ''] ?? '',
    ]),
  );
}

interface SiteObject extends KubernetesObject {
  readonly status?: { readonly readyReplicas: number };
}

function site(namespace: string): KubernetesObject {
  return {
    apiVersion: 'example.dev/v1',
    kind: 'Website',
    metadata: { name: 'shop', namespace },
    spec: { image: 'shop:1', replicas: 2 },
  } as unknown as KubernetesObject;
}

function leaseOf(server: ApiServer): Lease | undefined {
  return server.get('coordination.k8s.io/v1', 'Lease', 'website', 'website-leader') as
    | Lease
    | undefined;
}

/** Lines of the log from `warn` upwards. */
function complaints({ stdout, stderr }: Child): readonly string[] {
  return [...stdout.lines, ...stderr.lines].filter((line) =>
    /"level":"?(40|50|60|warn|error|fatal)/.test(line),
  );
}
