/** A hook that says by its ETag that its answer has not changed. */
import { eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import type { KubernetesObject } from '../../../operator/index.ts';
import { composite, definition } from './support/farm.ts';
import { type MetacontrollerPlace, PATIENT, startMetacontroller } from './support/place.ts';
import type { Subject } from './support/subject.ts';
import { type Decide, Reply } from './support/webhooks.ts';

const API_VERSION = 'bakery.example/v1';
const OVENS = definition('Oven', 'ovens', { group: 'bakery.example' });
const TAG = '"rye-1"';

function ovens(decide: Decide, etag: object): Subject {
  return {
    object: composite('ovens', {
      generateSelector: true,
      parentResource: { apiVersion: API_VERSION, resource: 'ovens' },
      childResources: [
        { apiVersion: 'v1', resource: 'configmaps', updateStrategy: { method: 'InPlace' } },
      ],
    }),
    hooks: { sync: { decide, webhook: { etag: { enabled: true, ...etag } } } },
  };
}

const LOAF = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'loaf' },
  data: { flour: 'rye' },
};

async function loafIn({ env, namespace }: MetacontrollerPlace) {
  return env.get<KubernetesObject & { readonly data?: Readonly<Record<string, string>> }>(
    ...(['v1', 'ConfigMap', namespace, 'loaf'] as const),
  );
}

test.each([
  [304, { cacheTimeoutSeconds: 600 }],
  [412, { cacheCleanupSeconds: 600 }],
])('[metacontroller 9] [metacontroller M5] if the hook answers %i, the previous answer is used, with the settings %j', async (status, etag) => {
  const tags: unknown[] = [];
  let isFirst = true;
  const place = await startMetacontroller({
    subjects: [
      ovens(() => {
        if (!isFirst) return new Reply(status);
        isFirst = false;
        return new Reply(200, JSON.stringify({ children: [LOAF] }), { ETag: TAG });
      }, etag),
    ],
    definitions: [OVENS],
  });
  const calls = () => place.server.calls('/ovens/sync');
  await place.apply({
    ...{ apiVersion: API_VERSION, kind: 'Oven', metadata: { name: 'stone' } },
    spec: { size: 1 },
  } as KubernetesObject);
  await eventually(async () => (await loafIn(place)) !== undefined, PATIENT);

  // Somebody else changes the child: only the stored answer knows what it should be.
  await place.env.patch('v1', 'ConfigMap', place.namespace, 'loaf', { data: { flour: 'wheat' } });
  await eventually(
    async () => calls().length > 1 && (await loafIn(place))?.data?.flour === 'rye',
    PATIENT,
  );
  await place.idle();
  tags.push(...calls().map(({ headers }) => headers['if-none-match']));

  expect(tags[0]).toBeUndefined();
  expect(new Set(tags.slice(1))).toEqual(new Set([TAG]));
  expect(await place.events('SyncError')).toEqual([]);
});
