/** A group of custom resources that is taken away and comes back, on an API server of its own. */

import { ApiServer, advanceUntil, FakeClock, settleSockets } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { listWatch } from '../../operator/client/source.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { defineResource, resourceName } from '../../operator/model/resource.ts';
import { Informer } from '../../operator/store/informer.ts';
import { undiciTransport } from '../../operator/transport/undici-transport.ts';
import { DiscoveryPoll } from '../../operator/watch/discovery-poll.ts';
import type { OnUnserved } from '../../operator/watch/reflector-options.ts';

const NAMESPACES = ['a', 'b', 'c', 'd', 'e'];
const GROUP_VERSION = '/apis/example.dev/v1';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const resourceOf = (kind: 'Widget' | 'Gadget') =>
  defineResource({
    group: 'example.dev',
    version: 'v1',
    plural: `${kind.toLowerCase()}s`,
    kind,
    namespaced: true,
  });
const resources = [resourceOf('Widget'), resourceOf('Gadget')];

/** Ten sources of one group, two resources in five namespaces, each with one object in its store. */
async function world(onUnserved?: OnUnserved) {
  const clock = new FakeClock();
  const server = await ApiServer.start({ clock });
  const transport = undiciTransport(server.url, { clock });
  const install = (): void => {
    for (const resource of resources) server.create(definition(resource));
  };
  const fill = (name: string): void => {
    for (const { kind } of resources) {
      for (const namespace of NAMESPACES) {
        server.create({
          apiVersion: 'example.dev/v1',
          kind,
          metadata: { namespace, name },
        } as never);
      }
    }
  };
  for (const name of NAMESPACES) {
    server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } } as never);
  }
  install();
  fill('old');
  const deliveries: string[] = [];
  const discoveryPoll = new DiscoveryPoll(clock);
  const informers = resources.flatMap((resource) =>
    NAMESPACES.map((namespace) => {
      const informer = new Informer<KubernetesObject>(
        listWatch(transport, resource, { namespace }, { clock }),
        { statusChanged: () => {}, drifted: () => {}, handlerFailed: () => {} },
        {
          ...{ clock, discoveryPoll, relistIntervalMs: 0 },
          ...(onUnserved !== undefined && { onUnserved }),
        },
      );
      informer.addHandler((changes) => {
        for (const { type, key } of changes) deliveries.push(`${type} ${resource.plural} ${key}`);
      });
      return informer;
    }),
  );
  const stop = new AbortController();
  const running = informers.map((informer) => informer.run(stop.signal));
  onTestFinished(async () => {
    stop.abort();
    await Promise.all(running);
    await transport.close();
    await settleSockets();
    await server.close();
    expect(clock.pending).toBe(0);
  });
  const all = (state: string): boolean => informers.every((informer) => informer.state === state);
  await advanceUntil(clock, () => all('watching'));
  const requestsTo = (path: string) => server.requests.filter((request) => request.path === path);
  return {
    ...{ all, clock, deliveries, fill, informers, install, server },
    polls: () => requestsTo(GROUP_VERSION),
    questionsAbout: (name: string) => requestsTo(`${DEFINITIONS}/${name}`),
    lists: () =>
      server.requests.filter(
        ({ path, query }) => path.startsWith(`${GROUP_VERSION}/`) && !query.has('watch'),
      ),
    names: () => informers.map(({ store }) => store.list().map(({ metadata }) => metadata.name)),
    /** Takes the definitions away while nobody can see it, so that no watch tells of a delete. */
    async vanish(): Promise<void> {
      await server.stop();
      for (const resource of resources) {
        const name = resourceName(resource);
        server.delete('apiextensions.k8s.io/v1', 'CustomResourceDefinition', undefined, name);
      }
      await server.listen();
      await advanceUntil(clock, () => all('unserved'));
      deliveries.length = 0;
    },
    async passes(ms: number): Promise<void> {
      const untilMs = clock.monotonic() + ms;
      await advanceUntil(clock, () => clock.monotonic() >= untilMs, { withinMs: ms });
      await settleSockets();
    },
  };
}

function definition(resource: (typeof resources)[number]): KubernetesObject {
  const { group, kind, plural, version } = resource;
  const openAPIV3Schema = { type: 'object' };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural },
      versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  } as never;
}

test('[W-40] ten sources of a deleted group send one request in ten seconds, and all recover when it is back', async () => {
  const it = await world();
  await it.vanish();
  const pollsBefore = it.polls().length;
  const listsBefore = it.lists().length;

  await it.passes(60_000);
  const polls = it.polls().slice(pollsBefore);
  const lists = it.lists().length - listsBefore;
  const kept = it.names();
  it.install();
  it.fill('new');
  await advanceUntil(it.clock, () => it.all('watching'), { withinMs: 30_000 });

  expect(polls.length).toBeGreaterThanOrEqual(5);
  expect(polls.length).toBeLessThanOrEqual(7);
  expect(gapsOf(polls).filter((gapMs) => gapMs < 8_000 || gapMs > 12_050)).toEqual([]);
  expect(lists).toBe(0);
  expect(kept).toEqual(Array(10).fill(['old']));
  expect(it.questionsAbout('widgets.example.dev')).toEqual([]);
  expect(it.names()).toEqual(Array(10).fill(['new']));
  expect(it.deliveries.filter((delivery) => delivery.startsWith('delete'))).toHaveLength(10);
});

test('[W-40] with onUnserved "clear", the deletes are delivered when the definitions are gone, and the adds when they are back', async () => {
  const it = await world('clear');
  await it.vanish();
  const asked = it.questionsAbout('widgets.example.dev').length;

  await it.passes(30_000);
  const deletes = [...it.deliveries].sort();
  const questions = it.questionsAbout('widgets.example.dev').length - asked;
  const emptied = it.names();
  it.deliveries.length = 0;
  it.install();
  it.fill('new');
  await advanceUntil(it.clock, () => it.all('watching'), { withinMs: 30_000 });

  expect(deletes).toEqual(
    ['gadgets', 'widgets'].flatMap((plural) =>
      NAMESPACES.map((namespace) => `delete ${plural} ${namespace}/old`),
    ),
  );
  expect(questions).toBe(1);
  expect(emptied).toEqual(Array(10).fill([]));
  expect(it.names()).toEqual(Array(10).fill(['new']));
  expect(it.deliveries.every((delivery) => delivery.startsWith('add'))).toBe(true);
});

function gapsOf(requests: readonly { readonly at: number }[]): readonly number[] {
  return requests.slice(1).map(({ at }, index) => at - (requests[index]?.at ?? 0));
}
