/** What operators use past the clock and the client that they get, and what an exploration makes of it. */
import { readFile } from 'node:fs/promises';
import { explore, type Scenario, type ScenarioCluster } from '@chancery/testing';
import { configMaps, secrets } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import { copier, createsOnce, scenarioOf } from './operators.ts';

const USUAL = { maxDeviations: 0 };

/** Writes what `value` gives into a Secret, once. */
function notes(name: string, value: () => string | Promise<string>): Scenario {
  return scenarioOf(name, () => [
    copier(async (object, context) => {
      const before = context.store(secrets).get({ namespace: 'default', name: 'note' });
      if (before !== undefined) return;
      const note = await value();
      await context.applyOwned(secrets, { metadata: { name: 'note' }, stringData: { note } });
      void object;
    }),
  ]);
}

test.each([
  ['clock', 'Date.now', () => String(Date.now())],
  ['clock', 'new Date()', () => new Date().toISOString()],
  ['randomness', 'Math.random', () => String(Math.random())],
  ['randomness', 'randomUUID', () => crypto.randomUUID()],
] as const)('a finding about the %s contains the file and line of the user code that calls %s', async (what, name, value) => {
  const { findings } = await explore(notes(name, value), USUAL);

  const where = expect.stringMatching(/own-uses\.test\.ts:\d+$/);
  expect(findings).toContainEqual({ what, name, where });
  expect(findings.every((finding) => /own-uses\.test\.ts:/.test(finding.where))).toBe(true);
});

test('a timer of user code fires in virtual time', async () => {
  const waits = notes('waits', () => new Promise((resolve) => setTimeout(resolve, 30_000, 'late')));

  const { findings } = await explore(waits, USUAL);

  expect(findings).toMatchObject([{ what: 'clock', name: 'setTimeout' }]);
});

test('an exploration waits for a file that user code reads', async () => {
  const reads = notes('reads a file', async () => {
    const own = await readFile(new URL(import.meta.url), 'utf8');
    return `${own.length > 100}`;
  });
  const written = {
    name: 'the note is there',
    check: (cluster: ScenarioCluster) =>
      cluster.get('v1', 'Secret', 'default', 'note') === undefined ? 'it is not' : undefined,
  };

  await expect(explore({ ...reads, atRest: [written] }, USUAL)).resolves.toBeDefined();
});

test('an exploration does not wait for an immediate that user code has cleared', async () => {
  const clears = notes('clears an immediate', () => {
    clearImmediate(setImmediate(() => {}));
    return 'cleared';
  });

  await expect(explore(clears, USUAL)).resolves.toBeDefined();
});

test('user code has no access to the network, and a finding reports the call', async () => {
  const asks = notes('asks the network', async () => {
    const answer = await fetch('http://127.0.0.1:9/').catch((error: Error) => error.message);
    return String(answer);
  });

  const { findings } = await explore(asks, USUAL);

  expect(findings).toMatchObject([{ what: 'network', name: 'fetch' }]);
});

test('an operator that uses only the toolkit causes no findings', async () => {
  expect((await explore(createsOnce, USUAL)).findings).toEqual([]);
});

test('the real clock, timers and fetch are restored, even after a failure', async () => {
  const real = { Date, now: Date.now, random: Math.random, setTimeout, fetch };
  const broken: Scenario = {
    ...createsOnce,
    controllers: () => {
      throw new Error('no controllers');
    },
  };

  await expect(explore(broken, USUAL)).rejects.toThrow('no controllers');

  expect({ Date, now: Date.now, random: Math.random, setTimeout, fetch }).toEqual(real);
});

test('during an exploration, code outside the exploration still gets the real time', async () => {
  let isRunning = true;
  const outside: number[] = [];
  const asked = (async () => {
    while (isRunning) {
      outside.push(Date.now());
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();

  await explore(createsOnce, USUAL);
  isRunning = false;
  await asked;

  const virtual = Date.UTC(2026, 0, 1);
  expect(outside.some((time) => Math.abs(time - virtual) < 3_600_000)).toBe(false);
  expect(outside.length).toBeGreaterThan(10);
});

test('an operator that keeps state from run to run is refused', async () => {
  let runs = 0;
  const counts = scenarioOf('counts its runs', () => {
    runs++;
    return [
      copier(async (object, context) => {
        await context.client.patch(
          configMaps,
          { namespace: 'default', name: object.metadata.name },
          { type: 'merge', body: { metadata: { annotations: { [`run-${runs}`]: 'yes' } } } },
        );
        if (runs > 1) await context.client.find(secrets, { namespace: 'default', name: 'other' });
      }),
    ];
  });

  await expect(explore(counts, USUAL)).rejects.toMatchObject({
    code: 'CONFIG',
    message: expect.stringContaining('differ'),
  });
});
