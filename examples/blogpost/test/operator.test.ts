import { crashPoints, eventually, FakeClock, startOperator, startTestEnv } from '@chancery/testing';
import type { ReconcileContext } from 'chancery';
import type { ObjectOf } from 'chancery/schema';
import { expect, test } from 'vitest';
import { type Place, startExample } from '../../testing/place.ts';
import blogpost, { type blogPosts } from '../operator.ts';

type BlogPost = ObjectOf<typeof blogPosts>;

const API = 'iximiuz.com/v1alpha1';
const CRD = new URL('../crd.yaml', import.meta.url);
const SAMPLE = new URL('../sample/', import.meta.url);
const NEW_YEAR = Date.parse('2030-01-01T00:00:00Z');

const start = (clock: FakeClock): Promise<Place> =>
  startExample({ name: 'blogpost', controllers: [blogpost], manifests: [CRD], clock });

function postOf({ env, namespace }: Place, name = 'blog-post-1'): Promise<BlogPost | undefined> {
  return env.get<BlogPost>(API, 'BlogPost', namespace, name);
}

/** As soon as the status speaks of the latest spec. */
function settledPost(place: Place, name = 'blog-post-1'): Promise<BlogPost> {
  return eventually(async () => {
    const post = await postOf(place, name);
    const { status, metadata } = post ?? {};
    return status?.observedGeneration === metadata?.generation && post;
  });
}

test('acceptance 2 and 3: the sample is published, and one Event reports it', async () => {
  const place = await start(new FakeClock(NEW_YEAR));

  await place.apply(SAMPLE);
  const { status } = await settledPost(place);
  const told = await eventually(async () => {
    const notes = await place.events();
    return notes.length > 0 && notes;
  });

  expect(status).toMatchObject({
    publishedAt: '2030-01-01T00:00:00Z',
    conditions: [{ type: 'Ready', status: 'True', reason: 'Published' }],
  });
  expect(told).toEqual([
    { type: 'Normal', reason: 'Published', note: 'published at 2030-01-01T00:00:00Z' },
  ]);
});

test('acceptance 4 and 6: a later operator does not change publishedAt, and a post can be deleted', async () => {
  const clock = new FakeClock(NEW_YEAR);
  const place = await start(clock);
  const { env, namespace } = place;
  await place.apply(SAMPLE);
  await settledPost(place);
  await place.operator.stop();
  clock.advance(86_400_000);
  await env.patch(API, 'BlogPost', namespace, 'blog-post-1', { spec: { title: null } });

  place.startOperator();
  const post = await settledPost(place);
  await env.delete(API, 'BlogPost', namespace, 'blog-post-1');
  const gone = await postOf(place);

  expect(post.metadata.generation).toBe(2);
  expect(post.status).toMatchObject({
    publishedAt: '2030-01-01T00:00:00Z',
    conditions: [{ status: 'True' }],
  });
  expect(await place.events('TitleMissing')).toEqual([]);
  expect(gone).toBeUndefined();
});

test('a post without a title gets one Event about it, and is published when it gets a title', async () => {
  const clock = new FakeClock(NEW_YEAR);
  const place = await start(clock);
  const { env, namespace } = place;
  const metadata = { name: 'draft', namespace };
  await env.create({ apiVersion: API, kind: 'BlogPost', metadata });
  const draft = await settledPost(place, 'draft');
  await env.patch(API, 'BlogPost', namespace, 'draft', { spec: { title: '  ' } });
  await settledPost(place, 'draft');
  clock.advance(1_000);

  await env.patch(API, 'BlogPost', namespace, 'draft', { spec: { title: 'At last' } });
  const post = await settledPost(place, 'draft');
  await place.told('Published');

  expect(draft.status).toMatchObject({
    conditions: [{ type: 'Ready', status: 'False', reason: 'TitleMissing' }],
  });
  expect(draft.status?.publishedAt).toBeUndefined();
  expect(post.status).toMatchObject({
    publishedAt: '2030-01-01T00:00:01Z',
    conditions: [{ status: 'True', reason: 'Published' }],
  });
  const told = await env.list<{ series?: object } & BlogPost>(
    'events.k8s.io/v1',
    'Event',
    namespace,
  );
  expect(await place.told('TitleMissing')).toHaveLength(1);
  expect(told.filter(({ series }) => series !== undefined)).toEqual([]);
});

test("a post that was created with the original operator's definition is published after an upgrade of the definition", async () => {
  const place = await startExample({
    name: 'blogpost',
    controllers: [blogpost],
    manifests: [new URL('seed/crd.yaml', import.meta.url)],
    ownCluster: true,
    stopped: true,
  });
  await place.apply(SAMPLE);
  const before = await postOf(place);
  await place.env.apply(CRD);

  place.startOperator();
  const post = await settledPost(place);

  expect(post.metadata.uid).toBe(before?.metadata.uid);
  expect(post.status?.publishedAt).toBeDefined();
});

test('acceptance 3: after a crash at any request, publishedAt is still set only once', async () => {
  let starts = 0;
  const points = await crashPoints({
    env: () => startTestEnv({ backend: 'embedded' }),
    arrange: async (env, namespace) => {
      await env.apply(CRD);
      await env.apply(SAMPLE, { namespace });
    },
    start: (url, namespace) => {
      const clock = new FakeClock(NEW_YEAR + starts++ * 60_000); // each has a date of its own
      return startOperator({ url, namespace, controllers: [blogpost], clock });
    },
    act: async (env, namespace) => {
      await eventually(async () => {
        const post = await env.get<BlogPost>(API, 'BlogPost', namespace, 'blog-post-1');
        return post?.status?.publishedAt;
      });
      const spec = { author: 'Grace' };
      await env.patch(API, 'BlogPost', namespace, 'blog-post-1', { spec });
    },
    until: async (env, namespace) => {
      const post = await env.get<BlogPost>(API, 'BlogPost', namespace, 'blog-post-1');
      return post?.status?.observedGeneration === post?.metadata.generation;
    },
    state: async (env, namespace) => {
      const states = env.events.history('blogposts.iximiuz.com', namespace, 'blog-post-1');
      const times = states.map((state) => (state as BlogPost).status?.publishedAt);
      expect(new Set(times.filter((time) => time !== undefined)).size).toBe(1);
    },
    calls: ({ resource, verb }) => resource === 'blogposts.iximiuz.com' && verb !== 'watch',
  });

  expect(points.map(({ when, call }) => `${when} ${call.verb}`)).toEqual(
    expect.arrayContaining(['before get', 'after get', 'before patch', 'after patch']),
  );
});

test('[T-1] acceptance 3: no second date is set if the cache does not yet contain the first date', async () => {
  const metadata = { name: 'old', namespace: 'demo', uid: 'u', generation: 1 };
  const stale: BlogPost = { apiVersion: API, kind: 'BlogPost', metadata, spec: { title: 'Old' } };
  const live = { ...stale, status: { publishedAt: '2029-12-31T00:00:00Z' } };
  const stated: unknown[] = [];
  const context = {
    client: { find: async () => live },
    clock: new FakeClock(NEW_YEAR),
    setStatus: async (status: unknown) => stated.push(status) > 0,
    event: () => expect.unreachable('nothing has happened'),
  } as unknown as ReconcileContext;

  await blogpost.reconcile(stale, context);

  expect(stated).toMatchObject([{ publishedAt: '2029-12-31T00:00:00Z' }]);
});

test('acceptance 3: a post whose status could not be written gets no Event about its publication', async () => {
  const metadata = { name: 'new', namespace: 'demo', uid: 'u', generation: 1 };
  const post: BlogPost = { apiVersion: API, kind: 'BlogPost', metadata, spec: { title: 'New' } };
  const refusal = new Error('the API server is away');
  const context = {
    client: { find: async () => post },
    clock: new FakeClock(NEW_YEAR),
    setStatus: () => Promise.reject(refusal),
    event: () => expect.unreachable('nothing has happened'),
  } as unknown as ReconcileContext;

  const reconciled = blogpost.reconcile(post, context);

  await expect(reconciled).rejects.toBe(refusal);
});
