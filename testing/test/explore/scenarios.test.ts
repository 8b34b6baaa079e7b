/** What scenarios and limits say, and what bad input is answered with. */
import {
  deployment,
  ExplorationFailure,
  explore,
  replaySchedule,
  type Scenario,
} from '@chancery/testing';
import { runnable } from 'chancery';
import { configMaps, secrets } from 'chancery/kubernetes';
import { describe, expect, test } from 'vitest';
import { formatSchedule, parseSchedule } from '../../src/explore/scenario/schedule.ts';
import { VisitedStates } from '../../src/explore/search/visited-states.ts';
import { copier, createsOnce, ownedSecret, scenarioOf } from './operators.ts';

/** An operator that passes is tried for this long. */
const PASSES = { maxDeviations: 1, timeLimitMs: 8_000 };
const ONCE = { maxDeviations: 1 };

async function failureOf(scenario: Scenario): Promise<ExplorationFailure> {
  const error = await explore(scenario, ONCE).catch((reason: unknown) => reason);
  if (error instanceof ExplorationFailure) return error;
  throw new Error(`nothing was found: ${String(error)}`);
}

test('`explore` kills an operator that keeps state in its process, and so finds that this state is lost', async () => {
  const remembers = scenarioOf('remembers what it has made', () => {
    const made = new Set<string>();
    return [
      copier(async (object, context) => {
        const { name } = object.metadata;
        if (made.has(name)) return;
        made.add(name);
        await context.client.create(secrets, ownedSecret(object));
      }),
    ];
  });

  const failure = await failureOf({ ...remembers, lostAnswers: 0 });

  expect(failure.schedule).toMatch(/^seed 1; \d+ restart$/);
  expect(failure.story).toContain('The operator is killed and starts again.');
  await expect(
    explore({ ...remembers, restarts: 0, lostAnswers: 0 }, PASSES),
  ).resolves.toBeDefined();
});

test('`explore` simulates a lost response to a create, and so finds a retry that creates an object twice', async () => {
  const retries = scenarioOf(
    'retries a create',
    () => [
      copier(
        async (object, context) => {
          if (context.store(secrets).list().length > 0) return;
          const create = () => context.client.create(secrets, ownedSecret(object));
          await create().catch(create);
        },
        { consistency: 'wait' },
      ),
    ],
    { changes: [], restarts: 0 },
  );

  expect((await failureOf(retries)).schedule).toMatch(/ lose answer create secrets\/default$/);
  await expect(explore({ ...retries, lostAnswers: 0 }, PASSES)).resolves.toBeDefined();
});

test('an invariant of the scenario is checked when nothing more happens', async () => {
  const named = { name: 'no Secret', check: () => 'there is one' };

  const failure = await failureOf({ ...createsOnce, atRest: [named] });

  expect(failure).toMatchObject({ invariant: 'no Secret', reason: 'there is one', deviations: 0 });
});

test('an invariant of the scenario is checked after each write', async () => {
  const empty: Scenario = {
    ...createsOnce,
    atEachStep: [
      {
        name: 'labels come first',
        check: (cluster) => {
          const isLabelled = cluster.get('v1', 'ConfigMap', 'default', 'a')?.metadata.labels?.seen;
          if (cluster.list('v1', 'Secret').length > 0 && isLabelled === undefined) {
            throw new Error('a Secret before the label');
          }
        },
      },
    ],
  };

  expect(await failureOf(empty)).toMatchObject({ reason: 'a Secret before the label' });
});

test('if the API server refuses a change, the run does not fail', async () => {
  const refused: Scenario = {
    ...createsOnce,
    changes: [
      {
        name: 'a person deletes what is not there',
        apply: (cluster) => cluster.delete('v1', 'Secret', 'default', 'nothing'),
      },
    ],
  };

  await expect(explore(refused, PASSES)).resolves.toBeDefined();
});

test('a change with a condition waits until the condition is true, and later changes wait, too', async () => {
  const made: string[] = [];
  const waits: Scenario = {
    ...createsOnce,
    restarts: 0,
    changes: [
      {
        name: 'a person deletes the Secret when it is there',
        when: (cluster) => cluster.get('v1', 'Secret', 'default', 'a') !== undefined,
        apply: (cluster) => {
          cluster.delete('v1', 'Secret', 'default', 'a');
          made.push('deleted');
        },
      },
      { name: 'nobody waits for', when: () => false, apply: () => void made.push('never') },
      { name: 'what comes then', apply: () => void made.push('behind') },
    ],
  };

  await explore(waits, { ...PASSES, maxSchedules: 8 });

  expect(made.length).toBeGreaterThan(1);
  expect(new Set(made)).toEqual(new Set(['deleted']));
});

test('a runnable is explored, too, and is killed together with its operator', async () => {
  const starts: number[] = [];
  const writes: Scenario = {
    ...createsOnce,
    name: 'a runnable that adds up',
    changes: [],
    runnables: () => [
      runnable({
        name: 'counter',
        async run(_signal, { client }) {
          const target = { namespace: 'default', name: 'a' };
          const { data = {} } = await client.get(configMaps, target);
          const count = String(Number(data.count ?? 0) + 1);
          starts.push(Number(count));
          await client.patch(configMaps, target, { type: 'merge', body: { data: { count } } });
        },
      }),
    ],
  };

  const failure = await failureOf(writes);

  expect(failure.schedule).toMatch(/ restart$/);
  expect(failure.reason).toContain('data.count "2", and usually "1"');
  expect(new Set(starts)).toEqual(new Set([1, 2]));
});

test('the controllers of the cluster run workloads in virtual time', async () => {
  const replicas: number[] = [];
  const lives: Scenario = {
    name: 'a Deployment',
    objects: [deployment('web', { namespace: 'default' })],
    controllers: () => [copier(() => {})],
    workloads: true,
    atRest: [
      {
        name: 'its Pods are ready',
        check: (cluster) => {
          const web = cluster.get('apps/v1', 'Deployment', 'default', 'web') as unknown as {
            readonly status?: { readonly readyReplicas?: number };
          };
          replicas.push(web.status?.readyReplicas ?? 0);
        },
      },
    ],
  };

  await explore(lives, { maxDeviations: 0 });

  expect(new Set(replicas)).toEqual(new Set([1]));
});

test.each([
  ['schedules', { maxSchedules: 5 }],
  ['states', { maxStates: 5 }],
  ['time', { timeLimitMs: 0 }],
] as const)('the limit of %s ends an exploration, and the result contains this limit', async (endedBy, limit) => {
  expect(await explore(createsOnce, limit)).toMatchObject({ endedBy, deviations: 0 });
});

describe('invalid input of an exploration', () => {
  test.each([
    '',
    'seed x',
    'seed 1; 12 jump',
    'seed 1; 12 hold',
    'seed 1; restart',
    'seed 1; 3 restart now',
  ])('the schedule %j is refused', async (schedule) => {
    await expect(replaySchedule(createsOnce, schedule)).rejects.toMatchObject({ code: 'CONFIG' });
  });

  test('if the API server refuses the objects of a scenario, the error contains the name of the scenario', async () => {
    const broken: Scenario = {
      ...createsOnce,
      objects: '{ apiVersion: nothing/v1, kind: None, metadata: { name: a } }',
    };

    await expect(explore(broken)).rejects.toMatchObject({
      code: 'CONFIG',
      message: expect.stringContaining(createsOnce.name),
    });
  });
});

test('a schedule stays the same when it is formatted and parsed', () => {
  const schedule = {
    seed: 3,
    deviations: [
      { step: 4, act: 'hold', target: 'watch secrets #2' },
      { step: 9, act: 'restart', target: '' },
      { step: 11, act: 'late', target: '' },
      { step: 12, act: 'late', target: 'patch secrets/default/a' },
    ],
  } as const;

  expect(parseSchedule(formatSchedule(schedule))).toEqual(schedule);
});

test('a visited state is explored again only if more deviations are left than at the earlier visit', () => {
  const states = new VisitedStates(2);

  expect(states.isKnown('a', 1)).toBe(false);
  expect(states.isKnown('a', 1)).toBe(true);
  expect(states.isKnown('a', 2)).toBe(false);
  expect(states.isKnown('a', 1)).toBe(true);
  expect(states.isKnown('b', 0)).toBe(false);
  expect(states.isFull).toBe(true);
  expect(states.isKnown('c', 0)).toBe(false);
  expect(states.isKnown('c', 0)).toBe(false);
  expect(states.size).toBe(2);
});
