import { controller, source } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
import { describe, expect, test } from 'vitest';
import { crashPoints } from '../../src/env/crash-points.ts';
import type { CrashPoint, CrashScenario } from '../../src/env/crash-run.ts';
import { startTestEnv } from '../../src/env/start-test-env.ts';
import { configMap } from '../../src/objects/config.ts';
import { startOperator } from '../../src/operator/test-operator.ts';

/** Adds one to a count, and then marks that it did: right only if nothing comes in between. */
const counter = controller({
  name: 'counter',
  for: source(configMaps, { labelSelector: 'count=yes' }),
  permissions: [{ resource: configMaps, verbs: ['patch'] }],
  async reconcile(object, { client, signal }) {
    if (object.data?.done === 'yes') return;
    const { metadata } = object;
    const data = { count: `${Number(object.data?.count ?? 0) + 1}` };
    // A cache that is behind is refused: without a crash the count is right.
    const { resourceVersion } = metadata;
    const body = { metadata: { resourceVersion }, data };
    await client.patch(configMaps, metadata, { type: 'merge', body }, { signal });
    const done = { data: { done: 'yes' } };
    await client.patch(configMaps, metadata, { type: 'merge', body: done }, { signal });
  },
});

/** Does both at once. */
const careful = controller({
  name: 'counter',
  for: source(configMaps, { labelSelector: 'count=yes' }),
  permissions: [{ resource: configMaps, verbs: ['patch'] }],
  async reconcile(object, { client, signal }) {
    if (object.data?.done === 'yes') return;
    const data = { count: `${Number(object.data?.count ?? 0) + 1}`, done: 'yes' };
    await client.patch(configMaps, object.metadata, { type: 'merge', body: { data } }, { signal });
  },
});

const labels = { count: 'yes' };

function scenario(of: typeof counter): CrashScenario {
  return {
    env: () => startTestEnv({ environment: {}, embedded: { workloads: false } }),
    arrange: (env, namespace) => env.create(configMap('a', { namespace, labels })),
    start: (url, namespace) => startOperator({ url, namespace, controllers: [of] }),
    until: async (env, namespace) => {
      const live = await env.get('v1', 'ConfigMap', namespace, 'a');
      return (live as { data?: Record<string, string> } | undefined)?.data?.done === 'yes';
    },
    state: async (env, namespace) => {
      const live = await env.get('v1', 'ConfigMap', namespace, 'a');
      return (live as { data?: unknown } | undefined)?.data;
    },
    timeoutMs: 5_000, // waited for in full where the state stays wrong
  };
}

test('[T-4] crashPoints finds a fault in an operator that makes one change with two calls, and reports the call', async () => {
  const calls: CrashScenario['calls'] = ({ verb }) => verb === 'patch';

  const found = crashPoints({ ...scenario(counter), calls });

  await expect(found).rejects.toThrow(
    /^killed after call \d+ \(patch configmaps a\) was carried out, before its answer: .*the state is .*"count":"2".*, without a crash .*"count":"1"/,
  );
});

test('[T-4] an operator with one atomic call passes, although it is killed before and after each selected call', async () => {
  const passed: CrashPoint[] = [];

  const points = await crashPoints({
    ...scenario(careful),
    passed: (point) => passed.push(point),
    calls: ({ verb }) => verb === 'list' || verb === 'patch',
  });

  expect(points.map(({ when, nth, call }) => `${when} ${nth} ${call.verb}`)).toEqual([
    'before 1 list',
    'after 1 list',
    'before 2 patch',
    'after 2 patch',
  ]);
  expect(passed).toEqual(points);
});

test('without the option `calls`, watches are crash points, too', async () => {
  const points = await crashPoints(scenario(careful));

  expect(new Set(points.map(({ call }) => call.verb))).toEqual(new Set(['list', 'watch', 'patch']));
});

test('the step `act` happens once per run, however often the operator is killed', async () => {
  let runs = 0;
  const scenes = scenario(careful);

  const points = await crashPoints({
    ...scenes,
    calls: ({ verb }) => verb === 'patch',
    arrange: async () => {},
    act: async (env, namespace) => {
      runs += 1;
      await env.create(configMap('a', { namespace, labels }));
    },
  });

  expect(points).toHaveLength(2);
  expect(runs).toBe(1 + points.length + 1); // whole, at each place, and the one that found no more
});

test('a scenario that fails even without a crash is reported as such', async () => {
  const found = crashPoints({ ...scenario(careful), until: async () => false, timeoutMs: 50 });

  await expect(found).rejects.toThrow(
    'without a crash: not within 50 ms: the condition never held',
  );
});

test('a failed restart is reported with its crash point', async () => {
  const { start, ...rest } = scenario(careful);
  const urls: string[] = [];

  const found = crashPoints({
    ...rest,
    parallel: 1, // the starts are counted
    start: (url, namespace) => {
      urls.push(url);
      if (urls.length === 3) throw new Error('no such module');
      return start(url, namespace);
    },
  });

  await expect(found).rejects.toThrow(
    /^killed before call 1 \(list configmaps\) was sent: no such/,
  );
  expect(new Set(urls).size).toBe(3);
});

test('an operator that never stops calling is reported after maxRuns', async () => {
  const found = crashPoints({ ...scenario(careful), maxRuns: 2 });

  await expect(found).rejects.toThrow('more than 2 runs: say which calls matter, or maxRuns');
});

describe('[T-8] crashPoints with parallel runs', () => {
  /** Counts the runs under way, from what comes first in one to what comes last. */
  function counted(base: CrashScenario) {
    const counts = { now: 0, most: 0 };
    const env = async () => {
      const started = await startTestEnv({ environment: {}, embedded: { workloads: false } });
      counts.now += 1;
      counts.most = Math.max(counts.most, counts.now);
      const stop = started.stop.bind(started);
      return Object.assign(started, {
        stop,
        [Symbol.asyncDispose]: async () => {
          await stop();
          counts.now -= 1;
        },
      });
    };
    return { counts, scenario: { ...base, env } satisfies CrashScenario };
  }

  test.each([
    1, 3,
  ])('at most %i runs overlap, and the crash points and their order do not change', async (parallel) => {
    const { counts, scenario: scene } = counted(scenario(careful));
    const passed: string[] = [];
    const place = ({ when, nth, call }: CrashPoint) => `${when} ${nth} ${call.verb}`;

    const points = await crashPoints({
      ...scene,
      parallel,
      passed: (point) => passed.push(place(point)),
      calls: ({ verb }) => verb === 'list' || verb === 'patch',
    });

    expect(points.map(place)).toEqual([
      'before 1 list',
      'after 1 list',
      'before 2 patch',
      'after 2 patch',
    ]);
    expect(passed).toEqual(points.map(place));
    expect(counts).toEqual({ now: 0, most: parallel });
  });

  test('the first of several failing crash points is reported, after all runs have ended', async () => {
    const { counts, scenario: scene } = counted(scenario(careful));
    const passed: number[] = [];
    const states = new Map<string, number>();

    const found = crashPoints({
      ...scene,
      parallel: 4,
      passed: ({ nth }) => passed.push(nth),
      calls: ({ verb }) => verb === 'list' || verb === 'patch',
      start(url, namespace) {
        const starts = (states.get(namespace) ?? 0) + 1;
        states.set(namespace, starts);
        // The second life never begins: at every place but in the run without a crash.
        if (starts === 2) throw new Error('cannot start again');
        return scene.start(url, namespace);
      },
    });

    await expect(found).rejects.toThrow(
      /^killed before call 1 \(list configmaps\) was sent: cannot/,
    );
    expect(passed).toEqual([]);
    expect(counts.now).toBe(0);
  });

  test('the message of a failure contains the warnings of the operator in that run', async () => {
    let nth = 0;
    const warning = controller({
      name: 'warning',
      for: source(configMaps, { labelSelector: 'count=yes' }),
      async reconcile(_object, { key, log }) {
        log.warn({ key }, 'the printer burns');
      },
    });

    const found = crashPoints({
      ...scenario(warning),
      timeoutMs: 300,
      calls: ({ verb }) => verb === 'list',
      until: async () => nth++ === 0, // only the run without a crash comes to an end
    });

    const { message } = await found.then(
      () => new Error('nothing failed'),
      (error: Error) => error,
    );
    const namespaces = message.match(/key="[^"]*"/g) ?? [];
    expect(namespaces.length).toBeGreaterThan(0);
    expect(new Set(namespaces).size).toBe(1);
  });
});
