/** Which namespaces and resources count. */
import { eventually, FakeClock } from '@chancery/testing';
import { rbac } from 'chancery/low-level';
import { expect, test } from 'vitest';
import { AUTO, controllersOf, envFrom, type Reloading, startReloader } from './support/start.ts';

async function workloadIn(reloader: Reloading, namespace: string): Promise<void> {
  await reloader.config('app', { mode: '1' }, { namespace });
  await reloader.workload('web', { annotations: AUTO, namespace, ...envFrom('configmap/app') });
}

const createNamespace = async ({ env }: Reloading, name: string, labels = {}): Promise<void> => {
  await env.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } } as never]);
};

test('[reloader 18] a label that a namespace gets later includes its workloads, and an ignored namespace stays excluded', async () => {
  const reloader = await startReloader({
    allNamespaces: true,
    args: ['--namespace-selector=team:*', '--namespaces-to-ignore=ignored'],
  });
  for (const name of ['late', 'ignored']) await createNamespace(reloader, name);
  await createNamespace(reloader, 'early', { team: 'a' });
  for (const name of ['late', 'ignored', 'early']) await workloadIn(reloader, name);
  await reloader.recorded('web', 'Deployment', 'early');

  for (const name of ['late', 'ignored']) await createNamespace(reloader, name, { team: 'b' });
  await reloader.recorded('web', 'Deployment', 'late');
  for (const namespace of ['late', 'ignored'])
    await reloader.config('app', { mode: '2' }, { namespace });
  await eventually(() => reloader.rollouts('web', 'Deployment', 'late') === 1);
  await reloader.idle();

  expect((await reloader.live('web', 'Deployment', 'ignored')).metadata.annotations).toEqual(AUTO);
  expect(reloader.rollouts('web', 'Deployment', 'early')).toBe(0);
});

test('[reloader 18] [reloader R25] watching several namespaces needs only Roles, and objects in their first lists do not count as creations', async () => {
  const given = { args: ['--reload-on-create=true'] };
  const other = 'test-8'; // named by the filter that the tests of a cluster share, and used by none of them
  const reloader = await startReloader({
    ...given,
    stopped: true,
    workloads: { podReadyMs: 5, podStopMs: 5 }, // a cluster of its own, with test-1 as its first namespace
    environment: { WATCH_NAMESPACE: `test-1,${other}` },
    withheld: () => false, // the rights of the other namespace are granted below
    furtherNamespaces: [other],
  });
  expect(reloader.namespace).toBe('test-1');
  await createNamespace(reloader, other);
  for (const namespace of ['test-1', other]) await workloadIn(reloader, namespace);
  const serviceAccount = { name: 'reloader', namespace: 'test-1' };
  const place = { name: 'reloader', namespaces: [other], serviceAccount };
  await reloader.env.apply(rbac(await controllersOf(given), place) as never);

  reloader.startOperator();
  await reloader.recorded('web');
  await reloader.recorded('web', 'Deployment', other);
  for (const namespace of ['test-1', other])
    await reloader.config('app', { mode: '2' }, { namespace });
  for (const namespace of ['test-1', other]) {
    await eventually(() => reloader.rollouts('web', 'Deployment', namespace) === 1);
  }
  expect(reloader.refusals()).toEqual([]);
});

test('[reloader 18] the resource selector is sent to the API server, and a resource that is labelled later is included', async () => {
  const reloader = await startReloader({ args: ['--resource-label-selector=watched=yes'] });
  const labels = { watched: 'yes' };
  await reloader.config('app', { mode: '1' });
  await reloader.config('seen', { mode: '1' }, { labels });
  await reloader.workload('web', {
    annotations: AUTO,
    ...envFrom('configmap/app', 'configmap/seen'),
  });
  expect(await reloader.recorded('web')).toHaveProperty(['configmap/seen']);

  await reloader.config('app', { mode: '2' });
  await reloader.config('app', { mode: '2' }, { labels });
  await eventually(async () => 'configmap/app' in (await reloader.recorded('web')));
  expect(reloader.rollouts('web')).toBe(0);
  await reloader.config('app', { mode: '3' }, { labels });
  await reloader.rolledOut('web', 1);

  const lists = reloader.env.requests.of({ verb: 'list', namespace: reloader.namespace });
  const selectors = lists
    .filter(({ resource }) => resource === 'secrets' || resource === 'configmaps')
    .map(({ query }) => query.labelSelector);
  expect(new Set(selectors)).toEqual(new Set(['watched=yes']));
});

test('[reloader 20] [reloader R17] a change made without a leader causes one restart within 20 s after the end of the last leader', async () => {
  const clock = new FakeClock(Date.parse('2030-01-01T00:00:00Z'));
  const leaseName = 'stakater-reloader-lock';
  const reloader = await startReloader({ clock, leaderElection: { leaseName }, stopped: true });
  const first = reloader.startOperator();
  await eventually(() => first.leads);
  const second = reloader.startOperator();
  await reloader.config('app', { mode: '1' });
  await reloader.workload('web', { annotations: AUTO, ...envFrom('configmap/app') });
  await reloader.recorded('web');

  await first.kill();
  await reloader.config('app', { mode: '2' });
  const killedAt = clock.monotonic();
  await eventually(() => {
    clock.advance(100);
    return reloader.rollouts('web') > 0;
  });

  expect(clock.monotonic() - killedAt).toBeLessThanOrEqual(20_000);
  expect(second.leads).toBe(true);
  await reloader.idle();
  expect(reloader.rollouts('web')).toBe(1);
  const lease = await reloader.env.get(
    'coordination.k8s.io/v1',
    'Lease',
    reloader.namespace,
    leaseName,
  );
  expect(lease).toBeDefined();
});
