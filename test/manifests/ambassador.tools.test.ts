/**
 * The ambassador as the manifests start it: its image's entry point, their arguments, their probe.
 *
 * @module-tag kubectl
 */
import { execFile } from 'node:child_process';
import { expect, test } from 'vitest';
import type { RoleRule } from '../../operator/access/rbac.ts';
import { environment, startImage } from '../proxy/support/image.ts';
import { DECLARED, HOSTILE, split } from '../proxy/support/requests.ts';
import { isTidied, send } from '../proxy/support/send.ts';
import { startUpstream } from '../proxy/support/upstream.ts';
import { pathOf } from '../tools/tools.ts';
import { type Container, containerNamed, expand, podSpec, render } from './support/rendered.ts';

const proxy = containerNamed(podSpec(await render('manifests/overlays/namespaced')), 'proxy');

const args = inDemo(proxy);

/**
 * The filter knows methods and paths, and no pairs of them: the Lease is renewed by PUT, so that passes on
 * every path that is open. No Role gives `update` on anything else.
 */
function isLeftToRbac(line: string): boolean {
  const [method, path] = split(line);
  const accepted = args[0]?.replace('--accept-paths=', '').split(',') ?? [];
  return method === 'PUT' && accepted.some((pattern) => new RegExp(pattern).test(path));
}

/** Arguments as the kubelet hands them over, in the namespace `demo`. */
function inDemo(container: Container): readonly string[] {
  return (container.args ?? []).map((arg) => expand(arg, { POD_NAMESPACE: 'demo' }));
}

/** Runs a probe's command with our kubectl against `ambassador`; resolves to its exit code. */
async function probe(name: keyof Container, ambassador: string): Promise<number> {
  const { exec } = proxy[name] as { readonly exec: { readonly command: readonly string[] } };
  const [, ...rest] = exec.command.map((word) => word.replace('http://127.0.0.1:8001', ambassador));
  return new Promise((resolve) => {
    const child = execFile(pathOf('kubectl'), rest, { env: { ...environment() } }, () =>
      resolve(child.exitCode ?? -1),
    );
  });
}

test('the filter allows everything that config-restart declares', async () => {
  const upstream = await startUpstream();
  const ambassador = await startImage(upstream.url, args);

  for (const line of DECLARED) await send(ambassador, ...split(line));

  expect(upstream.seen).toEqual(DECLARED);
});

test('the base allows only what every operator needs, and nothing that config-restart needs in addition', async () => {
  const base = containerNamed(podSpec(await render('manifests/base')), 'proxy');
  const upstream = await startUpstream();
  const ambassador = await startImage(upstream.url, inDemo(base));
  const needed = [
    'GET /version',
    'POST /apis/authorization.k8s.io/v1/selfsubjectrulesreviews',
    'POST /apis/coordination.k8s.io/v1/namespaces/demo/leases',
    'PUT /apis/coordination.k8s.io/v1/namespaces/demo/leases/config-restart-leader',
    'POST /apis/events.k8s.io/v1/namespaces/demo/events',
  ];

  for (const line of [...needed, ...DECLARED]) await send(ambassador, ...split(line));

  const shared = DECLARED.filter((line) => needed.includes(line));
  expect(upstream.seen).toEqual([...needed, ...shared]);
});

test('the overlay cluster-scoped allows the declared requests in every namespace', async () => {
  const objects = await render('manifests/overlays/cluster-scoped');
  const upstream = await startUpstream();
  const ambassador = await startImage(
    upstream.url,
    inDemo(containerNamed(podSpec(objects), 'proxy')),
  );
  const elsewhere = DECLARED.map((line) => line.replace('/demo/', '/elsewhere/'));
  const requests = [...elsewhere, 'GET /api/v1/configmaps?watch=true'];

  for (const line of requests) await send(ambassador, ...split(line));

  expect(upstream.seen).toEqual(requests);
});

test('[security 10] the filter allows no hostile request', async () => {
  const upstream = await startUpstream();
  const ambassador = await startImage(upstream.url, args);

  const hostile = HOSTILE.filter((line) => !isLeftToRbac(line));

  const statuses = new Map<string, number | undefined>();
  for (const line of hostile) {
    const answer = await send(ambassador, ...split(line));
    statuses.set(line, isTidied(line, answer) ? 403 : answer.status);
  }

  expect(statuses).toEqual(new Map(hostile.map((line) => [line, 403])));
  expect(upstream.seen).toEqual([]);
});

test('if the filter cannot refuse an unneeded request, the Roles do not grant it', async () => {
  const objects = await render('manifests/overlays/namespaced');

  const updated = objects
    .flatMap((object) => ('rules' in object ? (object.rules as readonly RoleRule[]) : []))
    .filter(({ verbs }) => verbs.includes('update'));

  expect(updated.map(({ resources, resourceNames }) => ({ resources, resourceNames }))).toEqual([
    { resources: ['leases'], resourceNames: ['config-restart-leader'] },
  ]);
});

test.each([
  'startupProbe',
  'livenessProbe',
])('the %s probe succeeds if the API server answers', async (name) => {
  const upstream = await startUpstream();
  const ambassador = await startImage(upstream.url, args);

  const exitCode = await probe(name, ambassador);

  expect(exitCode).toBe(0);
  expect(upstream.seen).toEqual(['GET /version?timeout=3s']);
});

test('the probe fails if the filter refuses everything, or if the API server is unreachable', async () => {
  const upstream = await startUpstream();
  const closed = await startImage(upstream.url, []);
  const alone = await startImage('http://127.0.0.1:1', args);

  const exitCodes = [await probe('startupProbe', closed), await probe('startupProbe', alone)];

  expect(exitCodes).toEqual([1, 1]);
});
