/** Each scenario, as small as it can be, end to end: what comes out, and not how fast. */
import { expect, test } from 'vitest';
import { measureGrowth } from '../scale/growth.ts';
import { measureControllers, measureHandlers, measureSlowHandler } from '../scale/handlers.ts';
import { sourceCode } from '../scale/pair.ts';
import { measureSources } from '../scale/sources.ts';
import { measureStorm } from '../scale/storm.ts';

const common = { code: sourceCode(), deadline: new AbortController().signal } as const;

test('each of several sources has a connection of its own, and misses nothing', async () => {
  const figures = await measureSources({
    ...common,
    ...{ as: 'informers', sources: 3, objects: 2, idleSeconds: 0 },
  });

  expect(figures.connections).toBeGreaterThanOrEqual(3);
  expect(figures.mostLists).toBeLessThanOrEqual(3);
  expect(figures.eventMs).toBeGreaterThan(0);
});

test('after a restart of the server informers list one at a time where they may not more, and miss nothing', async () => {
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

test('after a restart of the server controllers have acted upon all that the server holds', async () => {
  const figures = await measureStorm({
    ...common,
    ...{ as: 'controllers', sources: 3, objects: 10, downMs: 1, listMs: 1 },
  });

  expect(figures.mostLists).toBeLessThanOrEqual(3);
  expect(figures.equalSources).toBe(3);
});

test('the first list, the events and the relist of more objects are measured', async () => {
  const figures = await measureGrowth({
    ...common,
    ...{ profile: 'config-map', objects: 20, events: 40 },
  });

  expect(Object.values(figures).every(Number.isFinite)).toBe(true);
  expect(figures.relistMs).toBeGreaterThan(0);
});

test('every one of several handlers is told of every event', async () => {
  const figures = await measureHandlers({ ...common, handlers: 3, objects: 10, events: 30 });

  expect(figures.cpuPerEventUs).toBeCloseTo((figures.cpuPerCallUs ?? 0) * 3);
});

test('what waits for a slow handler is bounded by the keys, and it misses nothing in the end', async () => {
  const figures = await measureSlowHandler({
    ...common,
    ...{ handlers: 2, objects: 1_100, events: 2_500, seconds: 0.05 },
  });

  expect(figures.pending).toBeGreaterThan(1_000);
  expect(figures.pending).toBeLessThan(1_200);
});

test('every one of several controllers reconciles every event', async () => {
  const figures = await measureControllers({ ...common, controllers: 3, objects: 5, bursts: 2 });

  expect(figures.cpuPerEventUs).toBeCloseTo((figures.cpuPerCallUs ?? 0) * 3);
});
