/** Children that no source in `owns` selects. */
import { configMap, startOperator } from '@chancery/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { child } from '../../operator/composite/child.ts';
import { composite } from '../../operator/composite/composite.ts';
import { decorator } from '../../operator/composite/decorator/decorator.ts';
import { ChildSelection } from '../../operator/controller/children/child-selection.ts';
import type { Controller, ControllerOptions } from '../../operator/controller/controller.ts';
import { TerminalError } from '../../operator/controller/errors.ts';
import type { Desired } from '../../operator/controller/reconciler.ts';
import { type Source, source } from '../../operator/controller/source.ts';
import { type ConfigMap, configMaps } from '../../operator/model/builtin.ts';
import { services } from '../../operator/model/kubernetes/resources.ts';
import { controllerOf, type KubernetesObject } from '../../operator/model/object.ts';
import type { Resource } from '../../operator/model/resource.ts';
import { type Site, sites, startSites } from '../support/sites.ts';

type Child = Desired<ConfigMap>;

/** A source that drops the references by which owners are found. */
const ownerless = source(configMaps, {
  transform: ({ metadata: { ownerReferences: _, ...metadata }, ...rest }) =>
    ({ ...rest, metadata }) as ConfigMap,
});

async function sitesWith(owned: Source | readonly Source[], stated: Child) {
  const place = await startSites();
  const errors: unknown[] = [];
  let calls = 0;
  const operate = (more: Partial<ControllerOptions<Site>> = {}) =>
    place.operate(
      async (_site, { applyOwned }) => {
        calls++;
        try {
          await applyOwned(configMaps, stated);
        } catch (error) {
          errors.push(error);
          throw error;
        }
      },
      { owns: Array.isArray(owned) ? owned : [owned as Source], ...more },
    );
  const events = async () =>
    (
      await place.env.list<KubernetesObject & { reason?: string; note?: string }>(
        'events.k8s.io/v1',
        'Event',
      )
    ).filter(({ reason }) => reason === 'ReconcileFailed');
  const reads = () =>
    place.env.requests.of({ resource: 'configmaps' }).filter(({ verb }) => verb === 'get').length;
  return { ...place, operate, errors, events, reads, calls: () => calls };
}

describe('[K-37] [child 7] a child that the source for children would not select', () => {
  const cases: readonly [string, Source, Child, string][] = [
    [
      'lacks a label',
      source(configMaps, { labelSelector: 'app=site,tier in (web,edge)' }),
      { metadata: { name: 'a', labels: { app: 'site' } } },
      'the label tier in (edge,web) is missing',
    ],
    [
      'has another value of a label',
      source(configMaps, { labelSelector: 'tier=web' }),
      { metadata: { name: 'a', labels: { tier: 'batch' } } },
      'the label tier=batch does not match tier=web',
    ],
    [
      'has a label that must be absent',
      source(configMaps, { labelSelector: '!draft' }),
      { metadata: { name: 'a', labels: { draft: 'yes' } } },
      'the label draft=yes does not match !draft',
    ],
    [
      'has another name than the field selector',
      source(configMaps, { fieldSelector: 'metadata.name!=a' }),
      { metadata: { name: 'a' } },
      'the child does not match metadata.name!=a',
    ],
    [
      'is in a namespace that the source does not watch',
      source(configMaps, { namespace: { name: 'elsewhere' } }),
      { metadata: { name: 'a' } },
      'the source does not watch the namespace ',
    ],
    [
      'has a source whose transform drops owner references',
      ownerless,
      { metadata: { name: 'a' } },
      'the transform of the source drops metadata.ownerReferences',
    ],
    [
      'gets its name from the server',
      source(configMaps, { labelSelector: 'app=site' }),
      { metadata: { generateName: 'a-' } },
      'the label app=site is missing',
    ],
    [
      'has a source of metadata alone',
      source(configMaps, { labelSelector: 'app', metadataOnly: true }),
      { metadata: { name: 'a' } },
      'the label app is missing',
    ],
  ];

  test.each(
    cases,
  )('a child that %s is refused before any request is sent', async (_, of, stated, problem) => {
    const place = await sitesWith(of, stated);
    await place.createSite('one');

    const operator = await place.operate();
    await place.env.advance(3_600_000);

    expect(place.errors).toHaveLength(1);
    const [error] = place.errors as TerminalError[];
    expect(error).toBeInstanceOf(TerminalError);
    expect(error).toMatchObject({ code: 'USER_CODE', layer: 'user-code' });
    expect(error?.message).toContain(`configmaps ${place.namespace}/a`);
    expect(error?.message).toContain(problem);
    expect(place.writes('configmaps')).toEqual([]);
    const failed = operator.log.filter(({ message }) => message.startsWith('reconcile failed'));
    expect(failed.map(({ level }) => level)).toEqual(['error']);
    expect((await place.events()).map(({ note }) => note)).toEqual([error?.message]);
  });

  test('a child in a namespace that the settings do not contain is refused', () => {
    const selection = new ChildSelection({ owns: [{ source: source(configMaps) }] }, ['shop']);
    const stated = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'x' } };

    expect(() => selection.require(configMaps, stated)).toThrow('does not watch the namespace x');
    expect(() =>
      new ChildSelection({ owns: [{ source: source(configMaps) }] }, undefined).require(
        configMaps,
        stated,
      ),
    ).not.toThrow();
  });
});

describe('[K-37] [child 7] a child is written if its source may select it', () => {
  const cases: readonly [string, readonly Source[], Child][] = [
    [
      'when one of two sources selects it',
      [
        source(configMaps, { labelSelector: 'app=other' }),
        source(configMaps, { labelSelector: 'app=site' }),
      ],
      { metadata: { name: 'a', labels: { app: 'site' } } },
    ],
    [
      'when its source has metadata alone',
      [source(configMaps, { metadataOnly: true, labelSelector: 'app!=other' })],
      { metadata: { name: 'a' } },
    ],
    [
      'when a transform keeps the owner references and drops the labels',
      [
        source(configMaps, {
          labelSelector: 'app=site',
          transform: ({ metadata: { labels: _, ...metadata }, ...rest }) =>
            ({ ...rest, metadata }) as ConfigMap,
        }),
      ],
      { metadata: { name: 'a', labels: { app: 'site' } } },
    ],
    [
      'when a transform needs what only the server sets',
      [
        source(configMaps, {
          transform: (object) => {
            if (object.metadata.creationTimestamp === undefined) throw new Error('no time');
            return object;
          },
        }),
      ],
      { metadata: { name: 'a' } },
    ],
  ];

  test.each(cases)('a selected child is written: %s', async (_, owned, stated) => {
    const place = await sitesWith(owned, stated);
    await place.createSite('one');

    await place.operate();
    await place.env.advance(60_000);

    expect(place.errors).toEqual([]);
    expect(place.writes('configmaps')).toEqual(['create']);
  });

  test('a field selector for a field that the server sets is checked only if the child contains that field', () => {
    const of = source(services as Resource, { fieldSelector: 'spec.clusterIP!=None' });
    const selection = new ChildSelection({ owns: [{ source: of }] }, undefined);
    const made = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'a', namespace: 'x' } };

    selection.require(services as Resource, made);
    selection.requireStored(
      services as Resource,
      { ...made, spec: { clusterIP: 'None' } } as never,
    );
    expect(() =>
      selection.require(services as Resource, { ...made, spec: { clusterIP: 'None' } } as never),
    ).toThrow('does not match spec.clusterIP!=None');
  });
});

test.each<[string, () => Controller]>([
  [
    'a composite',
    () =>
      composite<Site>({
        name: 'sites',
        parent: sites,
        children: [{ resource: configMaps as Resource, source: { labelSelector: 'app=site' } }],
        sync: () => ({ children: [child(configMaps, { metadata: { name: 'a' } })] }),
      }) as unknown as Controller,
  ],
  [
    'a decorator',
    () =>
      decorator<Site>({
        name: 'sites',
        objects: sites,
        attachments: [{ resource: configMaps as Resource, source: { labelSelector: 'app=site' } }],
        sync: () => ({ attachments: [child(configMaps, { metadata: { name: 'a' } })] }),
      }),
  ],
])('[K-37] [child 7] a child of %s is refused if the source for children does not select the child', async (_, declare) => {
  const { clock, createSite, env, namespace, writes } = await startSites();
  await createSite('one');

  const operator = startOperator({ url: env.url, namespace, clock, controllers: [declare()] });
  onTestFinished(() => operator.stop());
  await env.advance(3_600_000);

  expect(writes('configmaps')).toEqual([]);
  const errors = operator.log.flatMap(({ fields: { err } }) => (err instanceof Error ? [err] : []));
  expect(errors.map(({ name }) => name)).toEqual(['TerminalError']);
  expect(errors[0]?.message).toContain('the label app=site is missing');
});

describe('[K-37] [child 7] restoring a label that another client changed', () => {
  const selecting = source(configMaps, { labelSelector: 'app=site' });
  const stated: Child = { metadata: { name: 'a', labels: { app: 'site' } }, data: { x: '1' } };

  test.each([
    ['while the operator runs', true],
    ['while the operator is down', false],
  ])('a child that lost the selected label %s gets it back after one read', async (_, isRunning) => {
    const place = await sitesWith(selecting, stated);
    const { env, namespace } = place;
    const site = await place.createSite('one');
    const first = await place.operate();
    const relabel = () =>
      env.patch('v1', 'ConfigMap', namespace, 'a', { metadata: { labels: { app: 'stolen' } } });
    if (!isRunning) await first.stop();
    const reads = place.reads();

    await relabel();
    if (!isRunning) await place.operate();
    await env.advance(60_000);
    const mended = await env.get<ConfigMap>('v1', 'ConfigMap', namespace, 'a');
    const readsForIt = place.reads() - reads;
    await env.patch('v1', 'ConfigMap', namespace, 'a', { data: { x: '2' } });
    await env.advance(60_000);

    expect(mended?.metadata.labels).toEqual({ app: 'site' });
    expect(mended && controllerOf(mended)?.uid).toBe(site.metadata.uid);
    expect(readsForIt).toBeLessThanOrEqual(2); // the read of the test's own helper is no request of the operator
    expect(await env.get('v1', 'ConfigMap', namespace, 'a')).toMatchObject({ data: { x: '1' } });
    expect(place.errors).toEqual([]);
  });
});

test('[K-37] [child 7] a selector may match labels that a child already has, but must match the stored child', () => {
  const owns = [{ source: source(configMaps, { labelSelector: 'app=site,!draft' }) }];
  const selection = new ChildSelection({ owns }, undefined);
  const made = (labels?: object) =>
    ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'x', labels },
    }) as never;

  selection.require(configMaps, made(), made({ app: 'site' }));
  expect(() => selection.require(configMaps, made({ draft: 'y' }), made({ app: 'site' }))).toThrow(
    'the label draft=y does not match !draft',
  );
  expect(() => selection.requireStored(configMaps, made({ team: 'x' }))).toThrow(
    /the label app=site is missing; the API server has stored the child so/,
  );
  expect(() => selection.requireStored(configMaps, made())).toThrow(TerminalError);
});

test('[K-37] [child 7] the answer to a write is checked against the selector; without a write nothing is checked', async () => {
  const owns = [{ source: source(configMaps, { labelSelector: 'app=site' }) }];
  const selection = new ChildSelection({ owns }, undefined);
  const stated = configMap('a', { namespace: 'x', labels: { app: 'site' } });
  const reduced = configMap('a', { namespace: 'x' });
  const written = (answer: ConfigMap, existing?: ConfigMap) =>
    selection.around(configMaps as Resource, async (require) => {
      require(configMaps as Resource, stated, existing);
      return answer;
    });

  await expect(written(reduced)).rejects.toThrow('the label app=site is missing');
  expect(await written(reduced, reduced)).toBe(reduced);
  expect(await written(stated)).toBe(stated);
});
