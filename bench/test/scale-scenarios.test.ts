/** Each scenario, as small as it can be, end to end: what comes out, and not how fast. */
import { expect, test } from 'vitest';
import { measureGrowth } from '../scale/growth.ts';
import { measureControllers, measureHandlers, measureSlowHandler } from '../scale/handlers.ts';
import { sourceCode } from '../scale/pair.ts';
import { measureSources } from '../scale/sources.ts';
import { measureStorm } from '../scale/storm.ts';

const common = { code: sourceCode(), deadline: new AbortController().signal } as const;

test('each of several sources uses its own connection, and misses no event', async () => {
  const figures = await measureSources({
    ...common,
    ...{ as: 'informers', sources: 3, objects: 2, idleSeconds: 0 },
  });

  expect(figures.connections).toBeGreaterThanOrEqual(3);
  expect(figures.mostLists).toBeLessThanOrEqual(3);
  expect(figures.eventMs).toBeGreaterThan(0);
});

test('after the server restarts, informers that send one list at a time keep to this limit, and miss nothing', async () => {
  const figures = await measureStorm({
    ...common,
    ...{ as: 'informers', sources: 3, objects: 10, lists: 1 },
    // Watches come back within 200 ms: of three lists of 110 ms two would be under way together.
    ...{ downMs: 1, listMs: 110 },
  });

  expect(figures.lists).toBeGreaterThanOrEqual(3);
  expect(figures.mostLists).toBe(1);
  expect(figures.equalSources).toBe(3);
});

test('after the server restarts, the controllers reconcile every object that it holds', async () => {
  const figures = await measureStorm({
    ...common,
    ...{ as: 'controllers', sources: 3, objects: 10, downMs: 1, listMs: 1 },
  });

  expect(figures.mostLists).toBeLessThanOrEqual(3);
  expect(figures.equalSources).toBe(3);
});

test('the growth scenario measures the first list, the events and the relist', async () => {
  const figures = await measureGrowth({
    ...common,
    ...{ profile: 'config-map', objects: 20, events: 40 },
  });

  expect(Object.values(figures).every(Number.isFinite)).toBe(true);
  expect(figures.relistMs).toBeGreaterThan(0);
});

test('each of several handlers receives every event', async () => {
  const figures = await measureHandlers({ ...common, handlers: 3, objects: 10, events: 30 });

  expect(figures.cpuPerEventUs).toBeCloseTo((figures.cpuPerCallUs ?? 0) * 3);
});

test('a slow handler has about one waiting event per key, and gets the last state of every object', async () => {
  const figures = await measureSlowHandler({
    ...common,
    ...{ handlers: 2, objects: 1_100, events: 2_500, seconds: 0.05 },
  });

  expect(figures.pending).toBeGreaterThan(1_000);
  expect(figures.pending).toBeLessThan(1_200);
});

test('each of several controllers reconciles every event', async () => {
  const figures = await measureControllers({ ...common, controllers: 3, objects: 5, bursts: 2 });

  expect(figures.cpuPerEventUs).toBeCloseTo((figures.cpuPerCallUs ?? 0) * 3);
});
