/** How often a hook is called, and what is written, for many parents. */
import { eventually, FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import type { KubernetesObject } from '../../../operator/index.ts';
import { composite, definition } from './support/farm.ts';
import { type MetacontrollerPlace, PATIENT, startMetacontroller } from './support/place.ts';
import type { Subject } from './support/subject.ts';
import type { HookBody } from './support/webhooks.ts';

const PARENTS = 50;
const CHILDREN = 3;
const TEN_MINUTES_MS = 600_000;
const STEP_MS = 10_000;
const SYNC = '/rows/sync';

const ROWS = definition('Row', 'rows', { group: 'farm.example' });

interface Row extends KubernetesObject {
  readonly spec: { readonly trees: number; readonly note?: string };
  readonly status?: { readonly observedGeneration?: number };
}

const PLANTING: Subject = {
  object: composite('rows', {
    generateSelector: true,
    parentResource: { apiVersion: 'farm.example/v1', resource: 'rows' },
    childResources: [
      { apiVersion: 'v1', resource: 'configmaps', updateStrategy: { method: 'InPlace' } },
    ],
  }),
  hooks: { sync: { decide: plant } },
};

/** Three ConfigMaps for each row. The first one says how many trees it has. */
function plant({ parent, children }: HookBody & { readonly parent: Row }): object {
  const { name } = parent.metadata;
  const planted = Object.keys(children['ConfigMap.v1'] ?? {}).length;
  return {
    status: { planted: planted === CHILDREN },
    children: Array.from({ length: CHILDREN }, (_, at) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `${name}-${at}` },
      data: { trees: at === 0 ? String(parent.spec.trees) : 'none' },
    })),
  };
}

test('[contract 83] [metacontroller 24] with many parents, the number of calls and writes is bounded, at the first startup and after a restart', async () => {
  const clock = new FakeClock(Date.parse('2030-01-07T08:00:00Z'));
  const place = await startMetacontroller({
    subjects: [PLANTING],
    definitions: [ROWS],
    clock,
    stopped: true,
  });
  for (let at = 0; at < PARENTS; at++) await place.apply(row(at, 1));

  place.startOperator();
  await settled(place);
  const fromNothing = countsOf(place);
  for (let passed = 0; passed < TEN_MINUTES_MS; passed += STEP_MS) {
    await clock.advanceAndSettle(STEP_MS);
  }
  await place.idle();
  const afterTenMinutes = countsOf(place);
  await place.operator.stop();
  place.startOperator();
  await eventually(() => place.server.calls(SYNC).length >= fromNothing.calls + PARENTS, PATIENT);
  await settled(place);
  const afterRestart = countsOf(place);

  expect(fromNothing.calls).toBeLessThanOrEqual(3 * PARENTS);
  expect(fromNothing.created).toBe(PARENTS * CHILDREN);
  expect(afterTenMinutes).toEqual(fromNothing);
  expect(afterRestart).toEqual({ ...fromNothing, calls: fromNothing.calls + PARENTS });
});

test('[metacontroller 24] a changed parent causes one call if its answer stays the same, and at most three if a child changes', async () => {
  const place = await startMetacontroller({ subjects: [PLANTING], definitions: [ROWS] });
  for (const at of [0, 1, 2]) await place.apply(row(at, 1));
  await settled(place, 3);
  const before = countsOf(place);

  await place.apply(row(1, 1, 'watered'));
  await settled(place, 3);
  const sameAnswer = countsOf(place);
  await place.apply(row(1, 2, 'watered'));
  await eventually(async () => (await treesOf(place, 'row-1-0')) === '2', PATIENT);
  await settled(place, 3);
  const otherAnswer = countsOf(place);

  expect(sameAnswer.calls - before.calls).toBe(1);
  expect(sameAnswer.children).toBe(before.children);
  expect(otherAnswer.calls - sameAnswer.calls).toBeLessThanOrEqual(3);
  expect(otherAnswer.children - sameAnswer.children).toBe(1);
});

function row(at: number, trees: number, note?: string): KubernetesObject {
  return {
    apiVersion: 'farm.example/v1',
    kind: 'Row',
    metadata: { name: `row-${at}` },
    spec: { trees, ...(note !== undefined && { note }) },
  } as Row;
}

/** Every row has its children and a status of today, and nothing is under way. */
async function settled(place: MetacontrollerPlace, parents: number = PARENTS): Promise<void> {
  await eventually(async () => {
    const rows = await place.env.list<Row & { status?: { planted?: boolean } }>(
      ...(['farm.example/v1', 'Row', place.namespace] as const),
    );
    const done = rows.filter(
      ({ status, metadata }) =>
        status?.planted === true && status.observedGeneration === metadata.generation,
    );
    return done.length === parents;
  }, PATIENT);
  await place.idle();
}

interface Counts {
  readonly calls: number;
  readonly created: number;
  /** Writes of children. */
  readonly children: number;
  readonly writes: number;
}

function countsOf(place: MetacontrollerPlace): Counts {
  const writes = place.writes();
  return {
    calls: place.server.calls(SYNC).length,
    created: writes.filter((write) => write === 'create configmaps').length,
    children: writes.filter((write) => write.endsWith(' configmaps')).length,
    writes: writes.length,
  };
}

async function treesOf(place: MetacontrollerPlace, name: string): Promise<string | undefined> {
  const map = await place.env.get<KubernetesObject & { readonly data?: Record<string, string> }>(
    ...(['v1', 'ConfigMap', place.namespace, name] as const),
  );
  return map?.data?.trees;
}
