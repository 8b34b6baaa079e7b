/** Drift: what a child shows against what was stated, for every strategy and every way of writing. */

import { describe, expect, test } from 'vitest';
import { childTypes } from '../../operator/composite/child-types.ts';
import type { ChildUpdate } from '../../operator/composite/engine-options.ts';
import { applyWriter } from '../../operator/controller/children/apply-writer.ts';
import type { ChildWriter } from '../../operator/controller/children/child-writer.ts';
import {
  configMaps,
  cronJobs,
  deployments,
  secrets,
  services,
} from '../../operator/model/kubernetes/resources.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import type { Resource } from '../../operator/model/resource.ts';
import { dynamicApplyWriter } from '../../packages/metacontroller/src/children/dynamic-apply-writer.ts';
import { serverSideApplyWriter } from '../../packages/metacontroller/src/supervisor/child-writer-of.ts';
import { type EnginePlace, enginePlace } from './engine-place.ts';

const WRITERS: readonly [string, () => ChildWriter][] = [
  ['applyOwned', () => applyWriter({ fieldManager: 'orchards' })],
  ['server-side apply', () => serverSideApplyWriter('hooks')],
  ['dynamic apply', dynamicApplyWriter],
];

const HASH = 'chancery.dev/child-hash';

/** In words that the server stores in another form, or not at all. */
const DEPLOYMENT = {
  spec: {
    selector: { matchLabels: { app: 'press' } },
    strategy: {},
    template: {
      metadata: { labels: { app: 'press' }, annotations: {} },
      spec: {
        containers: [
          {
            name: 'press',
            image: 'registry.example/press:1',
            ports: [{ containerPort: 8080 }],
            resources: { limits: { cpu: '2000m', memory: '2048Ki' } },
            livenessProbe: null,
          },
        ],
        nodeSelector: {},
        volumes: null,
      },
    },
  },
};

const SERVICE = {
  spec: { selector: { app: 'press' }, ports: [{ port: 80, targetPort: 8080 }], externalIPs: [] },
};

const CRON_JOB = {
  spec: {
    schedule: '5 4 * * *',
    jobTemplate: {
      spec: {
        template: {
          spec: {
            restartPolicy: 'Never',
            containers: [{ name: 'prune', image: 'registry.example/prune:1', args: [] }],
            tolerations: [{ key: 'dedicated', operator: 'Exists', value: '' }],
          },
        },
      },
    },
  },
};

const KINDS: readonly [string, Resource, object, object][] = [
  [
    'a Deployment',
    deployments as Resource,
    DEPLOYMENT,
    { spec: { template: { spec: { terminationGracePeriodSeconds: 5 } } } },
  ],
  ['a Service', services as Resource, SERVICE, { spec: { sessionAffinity: 'ClientIP' } }],
  ['a CronJob', cronJobs as Resource, CRON_JOB, { spec: { suspend: true } }],
];

interface Given {
  readonly writer: () => ChildWriter;
  readonly update: ChildUpdate;
  readonly resource: Resource;
  readonly stated: object;
}

/** One child `press`, with the data of the parent's spec where it has some. */
function place({ writer, update, resource, stated }: Given): Promise<EnginePlace> {
  return enginePlace({
    writer: writer(),
    childResources: [[resource, update]],
    decide: ({ parent }) => {
      const { data } = (parent as { readonly spec?: { readonly data?: object } }).spec ?? {};
      const object = { metadata: { name: 'press' }, ...stated, ...(data && { data }) };
      return { children: [{ resource, object: object as never }] };
    },
    arrange: ({ createParent }) => createParent({}),
  });
}

const MAP = { resource: configMaps as Resource, stated: { data: { text: 'stated' } } };

async function press(
  { env, namespace }: EnginePlace,
  resource: Resource,
): Promise<KubernetesObject & { readonly data?: object }> {
  return (await env.get(resource, namespace, 'press')) ?? expect.unreachable('there is no child');
}

async function edit(
  { env, namespace }: EnginePlace,
  { group, version, kind }: Resource,
  change: object,
): Promise<void> {
  const apiVersion = group === '' ? version : `${group}/${version}`;
  await env.patch(apiVersion, kind, namespace, 'press', change);
  await env.settled();
}

describe.each(
  WRITERS,
)('[child 4] how the writer %s treats changes by other clients', (_name, writer) => {
  test.each([
    'apply',
    'rolling-apply',
    'recreate',
    'rolling-recreate',
  ] as const)('with %s, a manual edit of a returned field is reverted, even after a restart', async (update) => {
    const at = await place({ writer, update, ...MAP });
    const before = await press(at, MAP.resource);

    await edit(at, MAP.resource, { data: { text: 'by hand' } });
    const reverted = await press(at, MAP.resource);
    await at.restart();
    await edit(at, MAP.resource, { data: { text: 'by hand again' } });
    const last = await press(at, MAP.resource);

    expect([reverted.data, last.data]).toEqual([{ text: 'stated' }, { text: 'stated' }]);
    const isSame = update === 'apply' || update === 'rolling-apply';
    expect(reverted.metadata.uid === before.metadata.uid).toBe(isSame);
    expect(last.metadata.uid === reverted.metadata.uid).toBe(isSame);
  });

  test.each(
    KINDS,
  )('%s that the server stores in another format causes no write, whatever fields others add', async (_kind, resource, stated, theirs) => {
    for (const update of ['recreate', 'apply'] as const) {
      const at = await place({ writer, update, resource, stated });
      const before = await press(at, resource);

      await at.restart();
      await edit(at, resource, theirs);
      await edit(at, resource, { metadata: { annotations: { 'example.dev/seen': 'yes' } } });
      const written = at.writes().filter((write) => write.includes(resource.plural));
      await at.env.advance(60 * 60_000);
      await edit(at, resource, { metadata: { labels: { tier: 'back' } } });

      const after = await press(at, resource);
      expect(after.metadata.uid).toBe(before.metadata.uid);
      expect(after).toMatchObject(theirs);
      expect(at.writes().filter((write) => write.includes(resource.plural))).toEqual(written);
    }
  });

  test.each([
    'apply',
    'recreate',
  ] as const)('with %s, a field that is no longer returned is removed, even after a restart', async (update) => {
    const { resource } = MAP;
    const at = await place({ writer, update, resource, stated: { data: { text: '1', old: 'x' } } });
    await edit(at, resource, { metadata: { labels: { foreign: 'x' } } });

    await at.restart({
      decide: () => ({
        children: [
          { resource, object: { metadata: { name: 'press' }, data: { text: '1' } } as never },
        ],
      }),
    });
    await at.env.settled();

    expect((await press(at, resource)).data).toEqual({ text: '1' });
  });
});

describe.each(
  WRITERS,
)('[child 1] a Secret that a function returns with stringData, written by %s', (_name, writer) => {
  const resource = secrets as Resource;
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const answer = (stringData: object) => () => ({
    children: [{ resource, object: { metadata: { name: 'press' }, stringData } as never }],
  });

  test.each([
    'apply',
    'recreate',
  ] as const)('with %s, a Secret that the function returns with stringData is written only to restore it after an edit', async (update) => {
    const at = await place({ writer, update, resource, stated: { stringData: { key: 'ü' } } });

    await edit(at, resource, { data: { key: base64('by hand') } });
    const reverted = await press(at, resource);
    await at.restart();
    await edit(at, resource, { metadata: { labels: { tier: 'back' } } });
    const writes = at.writes().filter((write) => write.includes('secrets'));
    await at.env.advance(60 * 60_000);
    await edit(at, resource, { data: { foreign: base64('x') } });

    expect(reverted.data).toEqual({ key: base64('ü') });
    expect((await press(at, resource)).data).toEqual({ key: base64('ü'), foreign: base64('x') });
    expect(at.writes().filter((write) => write.includes('secrets'))).toEqual(writes);
  });

  test('only keys that are no longer returned in stringData are removed from a Secret', async () => {
    const stated = { stringData: { old: '1', kept: '2' } };
    const at = await place({ writer, update: 'apply', resource, stated });
    await edit(at, resource, { data: { foreign: base64('x') } });

    await at.restart({ decide: answer({ kept: '2' }) });
    await at.env.settled();

    expect((await press(at, resource)).data).toEqual({ kept: base64('2'), foreign: base64('x') });
  });
});

test("[child 4] fields that the `transform` of the children's source drops do not cause a write", async () => {
  const { resource } = MAP;
  const transform = ({ apiVersion, kind, metadata }: KubernetesObject) => ({
    apiVersion,
    kind,
    metadata,
  });
  const rule = { resource, update: 'recreate', source: { transform } } as const;
  const at = await enginePlace({
    writer: applyWriter({ fieldManager: 'orchards' }),
    children: childTypes([rule]),
    decide: () => ({
      children: [{ resource, object: { metadata: { name: 'press' }, ...MAP.stated } as never }],
    }),
    arrange: ({ createParent }) => createParent({}),
  });
  const before = await press(at, resource);

  await at.restart();
  await edit(at, resource, { metadata: { labels: { tier: 'back' } } });

  expect((await press(at, resource)).metadata.uid).toBe(before.metadata.uid);
});

describe.each(
  WRITERS.filter(([name]) => name !== 'dynamic apply'),
)('[child 4] children that an earlier version of the toolkit wrote, with the writer %s', (name, writer) => {
  test.each([
    'apply',
    'recreate',
    'rolling-apply',
    'rolling-recreate',
  ] as const)('with %s, the hash annotation of an earlier version is removed without recreating the child', async (update) => {
    const at = await place({ writer, update, ...MAP });
    const { resource } = MAP;
    const manager = name === 'applyOwned' ? 'orchards' : 'hooks';
    const before = await press(at, resource);
    const { ownerReferences, labels } = before.metadata;
    const metadata = { name: 'press', namespace: at.namespace, ownerReferences, labels };
    const marked = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { ...metadata, annotations: { [HASH]: '0f' } },
      ...MAP.stated,
    };
    const path = `/api/v1/namespaces/${at.namespace}/configmaps/press?fieldManager=${manager}&force=true`;
    const response = await fetch(`${at.env.url}${path}`, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/apply-patch+yaml' },
      body: JSON.stringify(marked),
    });
    expect(response.status).toBe(200);

    await at.restart();

    const after = await press(at, resource);
    expect(after.metadata.annotations?.[HASH]).toBeUndefined();
    expect(after.metadata.uid).toBe(before.metadata.uid);
    const writes = at.writes().length;
    await at.restart();
    await at.env.advance(60 * 60_000);
    const later = at
      .writes()
      .slice(writes)
      .filter((write) => write.startsWith('delete'));
    expect(later).toEqual([]);
  });
});
