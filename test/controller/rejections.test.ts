/**
 * An API server that rejects writes, in every way that it has, and what becomes of the reconcile: an
 * operator behind a line that refuses what the row says, in front of the embedded API server.
 */

import type { Reply, TestEnv } from '@chancery/testing';
import {
  advanceUntil,
  failure,
  type RequestMatch,
  reset,
  ScriptedServer,
  startOperator,
  text,
} from '@chancery/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { controller } from '../../operator/controller/controller.ts';
import { type ConfigMap, configMaps } from '../../operator/model/builtin.ts';
import { carriedOut, forwardTo } from '../support/forward.ts';
import { type Site, sites, startSites } from '../support/sites.ts';

const CREATE = { method: 'POST', path: /\/configmaps$/ } as const;
const STATUS = { method: 'PATCH', path: /\/sites\/a\/status$/ } as const;
const details = { name: 'a', kind: 'configmaps' };

const refusals = {
  webhook: failure({
    code: 409,
    reason: 'Conflict',
    message: 'admission webhook "w.example.dev" denied the request: not now',
  }),
  disputed: failure({
    code: 409,
    reason: 'Conflict',
    message: 'Apply failed with 1 conflict: conflict with "other": .status.pages',
    details: {
      causes: [
        {
          reason: 'FieldManagerConflict',
          message: 'conflict with "other"',
          field: '.status.pages',
        },
      ],
    },
  }),
  quota: failure({
    code: 409,
    reason: 'Conflict',
    message: 'Operation cannot be fulfilled on resourcequotas "q": the object has been modified',
    details: { name: 'q', kind: 'resourcequotas' },
  }),
  invalid: failure({
    code: 422,
    reason: 'Invalid',
    message: 'ConfigMap "a" is invalid: data: Invalid value',
    details: { ...details, causes: [{ reason: 'FieldValueInvalid', field: 'data' }] },
  }),
  forbidden: failure({
    code: 403,
    reason: 'Forbidden',
    message: 'configmaps is forbidden',
    details,
  }),
  terminating: failure({
    code: 403,
    reason: 'Forbidden',
    message: 'unable to create new content in namespace x because it is being terminated',
    details: { ...details, causes: [{ reason: 'NamespaceTerminating' }] },
  }),
  missing: failure({
    code: 404,
    reason: 'NotFound',
    message: 'namespaces "x" not found',
    details: { name: 'x', kind: 'namespaces' },
  }),
  tooMany: failure(
    { code: 429, reason: 'TooManyRequests', message: 'slow down' },
    { 'retry-after': '7' },
  ),
  unavailable: failure(
    { code: 503, reason: 'ServiceUnavailable', message: 'not yet' },
    { 'retry-after': '3' },
  ),
  internal: failure({
    code: 500,
    reason: 'InternalError',
    message: 'etcdserver: request timed out',
  }),
  timeout: failure({ code: 504, reason: 'Timeout', message: 'request did not complete in time' }),
} satisfies Readonly<Record<string, Reply>>;

/** A Site whose child and status an operator writes, over a line that refuses. */
async function start(
  refuse: (line: ScriptedServer, upstream: string) => unknown,
  prepare: (env: TestEnv, namespace: string) => Promise<unknown> = async () => {},
) {
  const { env, clock, namespace, createSite } = await startSites();
  await prepare(env, namespace);
  const line = new ScriptedServer({ clock });
  await line.start();
  refuse(line, env.url);
  line.on({}, forwardTo(env.url));
  onTestFinished(() => line.close());
  await createSite('a');
  const declared = controller<Site>({
    name: 'sites',
    for: sites,
    owns: [configMaps],
    async reconcile(site, { applyOwned, setStatus }) {
      const { name } = site.metadata;
      await applyOwned(configMaps, { metadata: { name }, data: { text: site.spec.text } });
      await setStatus({ pages: 1 });
    },
  });
  const operator = startOperator({ url: line.url, namespace, clock, controllers: [declared] });
  onTestFinished(() => operator.stop());
  const child = () => env.server.get('v1', 'ConfigMap', namespace, 'a') as ConfigMap | undefined;
  const site = () => env.server.get('example.dev/v1', 'Site', namespace, 'a') as Site | undefined;
  const requested = ({ method, path }: typeof CREATE | typeof STATUS) =>
    line.requests.filter((each) => each.method === method && path.test(each.path));
  return {
    env,
    clock,
    namespace,
    child,
    site,
    requested,
    /** Levels of the lines about reconciles that did not succeed. */
    complaints: () =>
      operator.log
        .filter(({ message }) => /^reconcile (failed|conflicted)/.test(message))
        .map(({ level, message }) => `${level}: ${message}`),
    untilDone: () =>
      advanceUntil(clock, () => child()?.data?.text === 'hello' && site()?.status?.pages === 1, {
        withinMs: 70 * 60_000,
      }),
    untilRefused: (match: typeof CREATE, count = 1) =>
      advanceUntil(clock, () => requested(match).length >= count),
    pass: async (ms: number) => {
      const until = clock.monotonic() + ms;
      await advanceUntil(clock, () => clock.monotonic() >= until, { withinMs: ms + 1 });
    },
  };
}

const FAILED = ['warn: reconcile failed'];
const CONFLICTED = ['debug: reconcile conflicted'];

describe('how the creation of a child is retried after a refusal', () => {
  test.each<[string, RequestMatch['nth'], Reply, string[], number]>([
    ['409 of a webhook: another try, as after any conflict', 1, refusals.webhook, CONFLICTED, 0],
    ['409 about a quota: another try', 1, refusals.quota, CONFLICTED, 0],
    [
      '422 about a field: a warning, and another try in an hour',
      1,
      refusals.invalid,
      FAILED,
      54 * 60_000,
    ],
    ['403: a warning, and another try', 1, refusals.forbidden, FAILED, 0],
    [
      '[K-46] 403, the namespace is being deleted: a later try',
      1,
      refusals.terminating,
      CONFLICTED,
      60_000,
    ],
    ['[K-46] 404, there is no namespace: a warning', 1, refusals.missing, FAILED, 0],
    ['429: the client waits as long as it is asked to', 1, refusals.tooMany, [], 7_000],
    ['503: the client waits as long as it is asked to', 1, refusals.unavailable, [], 3_000],
    ['500: a warning, and another try', 1, refusals.internal, FAILED, 0],
  ])('how the creation of a child is retried after %s', async (_, nth, reply, complaints, atLeastMs) => {
    const {
      requested,
      complaints: heard,
      untilDone,
      child,
    } = await start((line) => line.on({ ...CREATE, ...(nth !== undefined && { nth }) }, reply));

    await untilDone();

    const [refused, repeated] = requested(CREATE);
    expect(heard()).toEqual(complaints);
    expect((repeated?.atMs ?? 0) - (refused?.atMs ?? 0)).toBeGreaterThanOrEqual(atLeastMs);
    expect(requested(CREATE)).toHaveLength(2);
    expect(child()?.metadata.ownerReferences).toMatchObject([{ kind: 'Site', controller: true }]);
  });

  test.each<[string, Reply, string[], number]>([
    ['500 of the API server', refusals.internal, FAILED, 2],
    ['504 of the API server', refusals.timeout, FAILED, 2],
    ['500 of the ambassador', text('unexpected EOF', 500), [], 2],
    ['a connection that breaks', reset(), [], 2],
  ])('if the answer to a creation is %s, but the child was stored, no second child is created', async (_, reply, complaints, most) => {
    const {
      requested,
      complaints: heard,
      untilDone,
      env,
      namespace,
    } = await start((line, upstream) =>
      line.on({ ...CREATE, nth: 1 }, carriedOut(upstream, reply)),
    );

    await untilDone();

    expect(heard()).toEqual(complaints);
    expect(requested(CREATE).length).toBeLessThanOrEqual(most);
    const children = env.server.list('v1', 'ConfigMap', namespace);
    expect(children.filter(({ metadata }) => metadata.name === 'a')).toHaveLength(1);
  });

  test.each<[string, Reply]>([
    ['422', refusals.invalid],
    ['403', refusals.forbidden],
    ['500', refusals.internal],
  ])('a creation that is always refused with %s is retried with growing delays', async (_, reply) => {
    const { requested, pass, untilRefused, env, namespace } = await start((line) =>
      line.on(CREATE, reply),
    );
    await untilRefused(CREATE);

    await pass(10 * 60_000);
    const tried = requested(CREATE).length;
    await env.patch('example.dev/v1', 'Site', namespace, 'a', { spec: { text: 'other' } });
    await pass(1_000);

    expect(tried).toBeLessThan(25);
    expect(requested(CREATE).length).toBeGreaterThan(tried);
  });
});

describe('how a refused status write is retried', () => {
  test.each<[string, Reply, string[], number]>([
    ['422', refusals.invalid, FAILED, 2],
    ['403', refusals.forbidden, FAILED, 2],
    ['409 of a webhook', refusals.webhook, CONFLICTED, 2],
    ['a 409 about a field of another manager', refusals.disputed, FAILED, 2],
    ['429', refusals.tooMany, [], 2],
    ['500', refusals.internal, FAILED, 2],
  ])('a status write that is refused with %s is repeated until it is stored', async (_, reply, complaints, times) => {
    const {
      requested,
      complaints: heard,
      untilDone,
      child,
    } = await start((line) => line.on({ ...STATUS, nth: 1 }, reply));

    await untilDone();

    expect(heard()).toEqual(complaints);
    expect(requested(STATUS)).toHaveLength(times);
    expect(requested(CREATE)).toHaveLength(1);
    expect(child()?.data).toEqual({ text: 'hello' });
  });

  test('a status that was stored although the answer was 500 is not written again', async () => {
    const { complaints, pass, untilDone, site } = await start((line, upstream) =>
      line.on({ ...STATUS, nth: 1 }, carriedOut(upstream, refusals.internal)),
    );
    await untilDone();
    const written = site()?.metadata.resourceVersion;

    await pass(60_000);

    expect(complaints()).toEqual(FAILED);
    expect(site()?.metadata.resourceVersion).toBe(written);
  });
});

const nothing = () => {};

test("if a child's name is taken (409), each attempt logs a warning, and the other object is not changed", async () => {
  const { complaints, child, pass, clock } = await start(nothing, (env, namespace) =>
    env.create<ConfigMap>({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace },
      data: { theirs: 'x' },
    }),
  );
  const taken = child();

  await advanceUntil(clock, () => complaints().length > 0);
  await pass(60_000);

  expect(new Set(complaints())).toEqual(new Set(FAILED));
  expect(complaints().length).toBeLessThan(20);
  expect(child()).toEqual(taken);
});

test("[K-45] if a deleted object still has the child's name (409), the child is created when the name is free", async () => {
  const { complaints, child, untilDone, env, namespace, clock, pass } = await start(
    nothing,
    async (env, namespace) => {
      const metadata = { name: 'a', namespace, finalizers: ['example.dev/held'] };
      await env.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
      await env.delete('v1', 'ConfigMap', namespace, 'a');
    },
  );
  const first = child()?.metadata.uid;
  await advanceUntil(clock, () => complaints().length > 0);

  await pass(4_000);
  const early = complaints();
  await env.patch('v1', 'ConfigMap', namespace, 'a', { metadata: { finalizers: null } });
  await untilDone();

  expect(early).toEqual(CONFLICTED);
  expect(child()?.metadata.uid).not.toBe(first);
});
