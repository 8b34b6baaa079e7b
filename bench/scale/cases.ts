/** What is run: every point of every curve. */
import type { ProfileName } from '../../test/support/load/profiles.ts';
import type { Figures } from './figures.ts';
import { measureGrowth } from './growth.ts';
import { measureControllers, measureHandlers, measureSlowHandler } from './handlers.ts';
import type { Code } from './pair.ts';
import { measureSources } from './sources.ts';
import { measureStorm } from './storm.ts';

export const SCENARIOS = ['sources', 'growth', 'storm', 'handlers', 'controllers', 'slow'] as const;

export type ScenarioName = (typeof SCENARIOS)[number];

/** One point: a curve has a name, and each of its points a place on the x axis. */
export interface Case {
  readonly scenario: ScenarioName;
  readonly curve: string;
  readonly at: number;
  /** In words, for a row of a table. */
  readonly title: string;
  /** `--quick` has it. */
  readonly quick: boolean;
  readonly run: (code: Code, deadline: AbortSignal, quick: boolean) => Promise<Figures>;
}

const OBJECTS_OF_A_SOURCE = 20;

function sources(as: 'informers' | 'controllers', count: number): Case {
  return {
    scenario: 'sources',
    curve: as === 'informers' ? 'informers' : 'controllers of a manager',
    at: count,
    title: `${grouped(count)} ${as === 'informers' ? 'informers' : 'controllers of a manager'}`,
    quick: count === 500 || (count === 50 && as === 'informers'),
    run: (code, deadline, quick) =>
      measureSources({
        ...{ code, as, sources: count, objects: OBJECTS_OF_A_SOURCE, deadline },
        idleSeconds: quick ? 2 : 10,
      }),
  };
}

function growth(profile: ProfileName, objects: number, events: number): Case {
  const curve = profile === 'pod' ? 'Pod 7.7 kB' : 'ConfigMap 1 kB';
  return {
    scenario: 'growth',
    curve,
    at: objects,
    title: `${grouped(objects)} × ${curve}`,
    quick: [1_000, 10_000].includes(objects) || (objects === 50_000 && profile !== 'pod'),
    run: (code, deadline, quick) =>
      measureGrowth({
        ...{ code, profile, objects, deadline },
        events: quick ? events / 4 : events,
      }),
  };
}

/** A server takes a moment to list: with 10 ms a page, a limiter that leaks is seen. */
const STORM = { downMs: 1_000, listMs: 10 } as const;

function storm(as: 'informers' | 'controllers', count: number, objects: number): Case {
  return {
    scenario: 'storm',
    curve: as,
    at: count,
    title: `${grouped(count)} ${as} × ${objects} objects`,
    quick: count === 500,
    run: (code, deadline) =>
      measureStorm({ ...{ code, as, sources: count, objects, deadline }, ...STORM }),
  };
}

function handlers(count: number, objects: number): Case {
  return {
    scenario: 'handlers',
    curve: `${grouped(objects)} objects`,
    at: count,
    title: `${grouped(count)} handlers, ${grouped(objects)} objects`,
    quick: objects === 1_000 && count !== 10,
    run: (code, deadline) =>
      measureHandlers({ code, handlers: count, objects, events: eventsFor(count), deadline }),
  };
}

/** Enough calls to be measured, and not more than take seconds. */
function eventsFor(handlersCount: number): number {
  return Math.min(40_000, Math.max(1_000, 200_000 / handlersCount));
}

function controllers(count: number): Case {
  return {
    scenario: 'controllers',
    curve: 'controllers',
    at: count,
    title: `${grouped(count)} controllers`,
    quick: count === 1 || count === 1_000,
    run: (code, deadline) =>
      measureControllers({
        ...{ code, controllers: count, objects: 100, deadline },
        bursts: count >= 1_000 ? 1 : count >= 100 ? 10 : 50,
      }),
  };
}

const SLOW: Case = {
  scenario: 'slow',
  curve: 'slow',
  at: 100,
  title: '100 handlers beside a slow one',
  quick: true,
  run: (code, deadline, quick) =>
    measureSlowHandler({
      ...{ code, handlers: 100, objects: 5_000, events: 10_000, deadline },
      seconds: quick ? 2 : 5,
    }),
};

/** Every case, in the order in which they are run: what takes long comes last. */
export const CASES: readonly Case[] = [
  ...[10, 50, 100, 200, 500].map((count) => sources('informers', count)),
  ...[10, 50, 100, 200, 500].map((count) => sources('controllers', count)),
  storm('informers', 100, 500),
  storm('informers', 500, 20),
  storm('controllers', 100, 500),
  storm('controllers', 500, 20),
  ...[1, 10, 100, 1_000].map((count) => handlers(count, 1_000)),
  handlers(1_000, 10_000),
  ...[1, 10, 100, 1_000].map(controllers),
  SLOW,
  ...[1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000].map((objects) =>
    growth('config-map', objects, 100_000),
  ),
  ...[1_000, 2_000, 5_000, 10_000, 20_000, 50_000].map((objects) => growth('pod', objects, 20_000)),
];

function grouped(value: number): string {
  return value.toLocaleString('en-US');
}
