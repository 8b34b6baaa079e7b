/** Related objects of decorators, and finalizers, under the roles and the filter that are generated for them. */

import { eventually, FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { startExample } from '../../../examples/testing/place.ts';
import { child, decorator } from '../../../operator/index.ts';
import {
  type ConfigMap,
  configMaps,
  type Namespace,
  namespaces,
  type Secret,
  secrets,
} from '../../../operator/kubernetes.ts';

const COPIED = 'example.dev/copied';

function configMap(name: string, data: Record<string, string>, labels = {}): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels }, data };
}

test('[metacontroller 4] a ConfigMap is copied to new namespaces, and its changes are copied, too', async () => {
  const calls: string[] = [];
  const place = await startExample({
    name: 'copier',
    allNamespaces: true,
    controllers: [
      decorator<Namespace>({
        name: 'copier',
        objects: namespaces,
        select: { labels: { matchLabels: { [COPIED]: 'yes' } } },
        attachments: [configMaps],
        related: [configMaps],
        customize: () => [{ resource: configMaps, names: ['global'], namespace: 'default' }],
        sync({ metadata: { name } }, _, { related }) {
          calls.push(name);
          const [global] = related.of(configMaps);
          const copy = { metadata: { name: 'copy', namespace: name }, data: global?.data ?? {} };
          return { attachments: global === undefined ? [] : [child(configMaps, copy)] };
        },
      }),
    ],
  });
  const { env } = place;
  const copy = (namespace: string) =>
    env.get<ConfigMap>('v1', 'ConfigMap', namespace, 'copy').then((found) => found?.data?.text);
  const namespace = (name: string, labels = {}) =>
    env.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } } as never);
  await env.apply(configMap('global', { text: 'one' }) as never, { namespace: 'default' });

  await namespace('orchard', { [COPIED]: 'yes' });
  await namespace('meadow');
  await namespace('garden', { [COPIED]: 'yes' });

  await eventually(
    async () => (await copy('orchard')) === 'one' && (await copy('garden')) === 'one',
  );
  await place.idle();
  calls.splice(0);
  await env.apply(configMap('global', { text: 'two' }) as never, { namespace: 'default' });
  await eventually(
    async () => (await copy('orchard')) === 'two' && (await copy('garden')) === 'two',
  );
  expect(await copy('meadow')).toBeUndefined();
  await place.idle();
  expect(new Set(calls)).toEqual(new Set(['orchard', 'garden']));
  expect(calls.length).toBeLessThanOrEqual(4);
});

test('[metacontroller 19] a change of a related object reconciles only the parents that select it', async () => {
  const calls: string[] = [];
  const place = await startExample({
    name: 'relater',
    controllers: [
      decorator<Secret>({
        name: 'relater',
        objects: secrets,
        attachments: [],
        related: [configMaps],
        customize: ({ metadata }) => [
          {
            resource: configMaps,
            labelSelector: { matchLabels: { crop: metadata.name } },
          },
        ],
        sync({ metadata: { name } }, _, { related }) {
          const found = related.of(configMaps).map(({ metadata }) => metadata.name);
          calls.push(`${name}: ${found}`);
          return { attachments: [], annotations: { 'example.dev/related': found.join() || null } };
        },
      }),
    ],
  });
  const { env, namespace } = place;
  const note = async (name: string) =>
    (await env.get<Secret>('v1', 'Secret', namespace, name))?.metadata.annotations?.[
      'example.dev/related'
    ];
  const secret = (name: string) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name } });
  await env.apply([secret('apple'), secret('pear')] as never, { namespace });
  await env.apply(configMap('field', {}, { crop: 'apple' }) as never, { namespace });
  await eventually(async () => (await note('apple')) === 'field');
  await place.idle();
  calls.splice(0);

  await env.patch('v1', 'ConfigMap', namespace, 'field', {
    metadata: { labels: { crop: 'plum' } },
  });
  await eventually(async () => (await note('apple')) === undefined);
  await env.patch('v1', 'ConfigMap', namespace, 'field', {
    metadata: { labels: { crop: 'pear' } },
  });
  await eventually(async () => (await note('pear')) === 'field');
  await place.idle();

  expect(new Set(calls)).toEqual(new Set(['apple: ', 'pear: field']));
  expect(calls[0]).toBe('apple: ');
});

test('[metacontroller 17] an object keeps its finalizer until `finalize` no longer fails', async () => {
  const clock = new FakeClock();
  let isDown = true;
  const calls: string[] = [];
  const place = await startExample({
    name: 'finalizing',
    clock,
    controllers: [
      decorator<Secret>({
        name: 'finalizing',
        objects: secrets,
        select: { labels: { matchLabels: { kept: 'yes' } } },
        attachments: [configMaps],
        sync: ({ metadata: { name } }) => ({
          attachments: [child(configMaps, { metadata: { name: `of-${name}` } })],
        }),
        finalize: {
          name: 'example.dev/kept',
          sync(_, attachments) {
            calls.push('finalize');
            if (isDown) throw new Error('the function is down');
            return { attachments: [], finalized: attachments.of(configMaps).length === 0 };
          },
        },
      }),
    ],
  });
  const { env, namespace } = place;
  const secret = () => env.get<Secret>('v1', 'Secret', namespace, 's');
  const attached = () => env.get<ConfigMap>('v1', 'ConfigMap', namespace, 'of-s');
  const metadata = { name: 's', labels: { kept: 'yes' } };
  await env.apply({ apiVersion: 'v1', kind: 'Secret', metadata } as never, { namespace });
  await eventually(async () => (await attached()) !== undefined);

  await env.delete('v1', 'Secret', namespace, 's');
  const until = clock.monotonic() + 30_000;
  await eventually(() => {
    if (clock.monotonic() < until) clock.advance(1_000);
    return clock.monotonic() >= until && calls.length >= 3;
  });
  expect((await secret())?.metadata.finalizers).toEqual(['example.dev/kept']);
  expect(await attached()).toBeDefined();

  isDown = false;
  await eventually(async () => {
    clock.advance(1_000);
    return (await secret()) === undefined;
  });
  expect(await attached()).toBeUndefined();
});
