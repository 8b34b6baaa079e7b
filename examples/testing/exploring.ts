/** What the explorations of examples share: how far they go, their samples, and what others do to an object. */
import { globSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { type Change, type Exploration, explore, type Scenario } from '@chancery/testing';

const EXAMPLES = fileURLToPath(new URL('../', import.meta.url));

/** Set, each exploration tries so many schedules, and says what it covered. */
const { SCHEDULES } = process.env;

/** A lane tries the first orders with one departure only: a run takes up to 0.1 s of a core, and there are many examples. */
const LIMITS =
  SCHEDULES === undefined
    ? { maxDeviations: 1, maxSchedules: 5, timeLimitMs: 10_000 }
    : { maxSchedules: Number(SCHEDULES), timeLimitMs: 30 * 60_000 };

/** For the test around an exploration. */
export const EXPLORING: { readonly timeout: number } = { timeout: LIMITS.timeLimitMs + 30_000 };

/** @throws ExplorationFailure for an order in which something does not hold. */
export async function explored(scenario: Scenario): Promise<Exploration> {
  const exploration = await explore(scenario, LIMITS);
  if (SCHEDULES !== undefined) {
    const { schedules, states, deviations, endedBy, tookMs } = exploration;
    const seconds = (tookMs / 1_000).toFixed(0);
    const covered = `${schedules} schedules, ${states} states, bound ${deviations}`;
    process.stdout.write(`${scenario.name}: ${covered}, ended by ${endedBy}, ${seconds} s\n`);
  }
  return exploration;
}

/** The text of an example's definitions and sample. @param patterns - such as `foo/sample/*.yaml`. */
export function textsOf(...patterns: readonly string[]): string {
  const files = patterns.flatMap((pattern) => globSync(pattern, { cwd: EXAMPLES }).sort());
  return files.map((file) => readFileSync(EXAMPLES + file, 'utf8')).join('\n---\n');
}

/** An object of the namespace `default`. */
export type Target = readonly [apiVersion: string, kind: string, name: string];

/** @param name - what happens, for stories: `a person scales Foo to 2`. */
export function patches(
  name: string,
  [apiVersion, kind, object]: Target,
  mergePatch: object,
  subresource?: 'status',
): Change {
  return {
    name,
    apply: (cluster) =>
      void cluster.patch(apiVersion, kind, 'default', object, mergePatch, subresource),
  };
}

/** As `patches`. */
export function deletes(name: string, [apiVersion, kind, object]: Target): Change {
  return { name, apply: (cluster) => cluster.delete(apiVersion, kind, 'default', object) };
}

/** As `patches`. It waits until an earlier object of the name is gone. */
export function creates(
  name: string,
  [apiVersion, kind, object]: Target,
  fields: object,
  metadata: object = {},
): Change {
  return {
    name,
    when: (cluster) => cluster.get(apiVersion, kind, 'default', object) === undefined,
    apply: (cluster) =>
      void cluster.create({
        apiVersion,
        kind,
        metadata: { ...metadata, name: object, namespace: 'default' },
        ...fields,
      }),
  };
}

/** The garbage collector takes what the owner has left; nothing else of the cluster runs. */
export const COLLECTED: NonNullable<Scenario['workloads']> = { only: ['garbageCollector'] };
