/** Children of custom resources, against the embedded API server: what is stored in the end. */
import { expect, test } from 'vitest';
import type { ReconcileContext } from '../../operator/controller/reconciler.ts';
import { AWAIT_CHANGE } from '../../operator/controller/reconciler.ts';
import { type ConfigMap, configMaps } from '../../operator/model/builtin.ts';
import { type Site, startSites } from '../support/sites.ts';

/** A ConfigMap of the Site's name, with what `dataOf` makes of its text. */
function copier(
  dataOf: (text: string) => Record<string, string> = (text) => ({ text }),
  options: Parameters<ReconcileContext<Site>['applyOwned']>[2] = {},
) {
  return async (_key: string, site: Site | undefined, { applyOwned }: ReconcileContext<Site>) => {
    if (site === undefined) return AWAIT_CHANGE;
    const { name } = site.metadata;
    await applyOwned(configMaps, { metadata: { name }, data: dataOf(site.spec.text) }, options);
    return AWAIT_CHANGE;
  };
}

test('K-44: a child is created once, changed where it differs, and in steady state not written', async () => {
  const { env, namespace, operate, createSite, writes } = await startSites();
  await createSite('a');
  await operate(copier(), { resyncPeriodMs: 60_000 });
  expect(writes('configmaps')).toEqual(['create']);

  await env.advance(10 * 60_000);
  expect(writes('configmaps')).toEqual(['create']);

  await env.patch('example.dev/v1', 'Site', namespace, 'a', { spec: { text: 'bye' } });
  await env.advance(10 * 60_000);
  const child = await env.get<ConfigMap>('v1', 'ConfigMap', namespace, 'a');
  expect(child?.data).toEqual({ text: 'bye' });
  expect(child?.metadata.ownerReferences).toMatchObject([
    { kind: 'Site', name: 'a', controller: true, blockOwnerDeletion: true },
  ]);
  expect(writes('configmaps').filter((write) => write === 'create')).toHaveLength(1);
});
