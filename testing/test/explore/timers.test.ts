/** Timers that the operator sets itself, however far they are, and what happens around them. */
import { ExplorationFailure, explore, replaySchedule, type Scenario } from '@chancery/testing';
import {
  type Controller,
  type ControllerOptions,
  controller,
  everyMs,
  type Outcome,
} from 'chancery';
import { type ConfigMap, configMaps, secrets } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import { copier, scenarioOf, settings } from './operators.ts';

const MINUTE_MS = 60_000;
const A = { namespace: 'default', name: 'a' };

async function failureOf(scenario: Scenario): Promise<ExplorationFailure> {
  const error = await explore(scenario, { maxDeviations: 1 }).catch((reason: unknown) => reason);
  if (error instanceof ExplorationFailure) return error;
  throw new Error(`nothing was found: ${String(error)}`);
}

/** Creates a Secret, and then says on the ConfigMap that it is there. */
const maker = (): Controller =>
  copier(async ({ metadata }, { client }) => {
    if (metadata.annotations?.made !== undefined) return;
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: A };
    await client.create(secrets, secret).catch(() => {});
    const body = { metadata: { annotations: { made: 'yes' } } };
    await client.patch(configMaps, A, { type: 'merge', body });
  });

/** Deletes the Secret of a ConfigMap that does not say that it has one. */
function cleaner(
  work: Partial<ControllerOptions<ConfigMap>>,
  outcome: Outcome,
  isEarly: boolean,
): Controller {
  return controller({
    name: 'cleaner',
    for: configMaps,
    permissions: [
      { resource: configMaps, verbs: ['get'] },
      { resource: secrets, verbs: ['delete'] },
    ],
    consistency: 'none',
    async reconcile(_cached, { client, clock }) {
      const { metadata } = await client.get(configMaps, A);
      const isAlone = isEarly && clock.monotonic() > MINUTE_MS / 2;
      if (isAlone && metadata.annotations?.made === undefined) await client.delete(secrets, A);
      return outcome;
    },
    ...work,
  }) as Controller;
}

/** The ConfigMap is created while the operator runs. */
function cleaned(
  work: Partial<ControllerOptions<ConfigMap>>,
  outcome: Outcome,
  isEarly: boolean,
): Scenario {
  return {
    name: 'cleans up',
    controllers: () => [maker(), cleaner(work, outcome, isEarly)],
    changes: [
      {
        name: 'a person creates ConfigMap a',
        apply: (cluster) => void cluster.create(settings('a')),
      },
    ],
    restarts: 0,
    lostAnswers: 0,
    atRest: [
      {
        name: 'the Secret is there',
        check: (cluster) => {
          if (cluster.get('v1', 'Secret', 'default', 'a') === undefined) return 'it is not';
        },
      },
    ],
  };
}

const TRIGGERED = { predicate: () => false, triggers: [everyMs(MINUTE_MS, [A])] };

test.each([
  ['a trigger', TRIGGERED, undefined],
  ['a requeued key', {}, { requeueAfterMs: MINUTE_MS * 0.9 }],
] as const)('%s that is due in a minute can fire between two requests that another reconcile sends', async (_what, work, outcome) => {
  const scenario = cleaned(work, outcome, true);

  const failure = await failureOf(scenario);

  expect(failure.invariant).toBe('the Secret is there');
  expect(failure.schedule).toMatch(/^seed 1; \d+ late patch configmaps\/default\/a$/);
  expect(failure.story).toContain('comes late: a timer of the operator is due before it.');
  await expect(replaySchedule(scenario, failure.schedule)).rejects.toMatchObject({
    trace: failure.trace,
  });
  const mended = cleaned(work, outcome, false);
  await expect(replaySchedule(mended, failure.schedule)).resolves.toBeUndefined();
});

test('a timer that is due in a minute can fire before a change that the scenario makes', async () => {
  const impatient = scenarioOf(
    'does not wait for ever',
    () => [
      copier(async ({ metadata }, { applyOwned, clock }) => {
        if (metadata.labels?.seen !== undefined) return;
        const isLate = clock.monotonic() > MINUTE_MS / 2;
        if (isLate) await applyOwned(secrets, { metadata: { name: 'reminder' } });
        return { requeueAfterMs: MINUTE_MS };
      }),
    ],
    { restarts: 0, lostAnswers: 0 },
  );

  const failure = await failureOf(impatient);

  expect(failure.schedule).toMatch(/^seed 1; \d+ late$/);
  expect(failure.reason).toContain('Secret default/reminder should not be there');
  expect(failure.story).toContain('The next change comes late: a timer of the operator is due');
});
