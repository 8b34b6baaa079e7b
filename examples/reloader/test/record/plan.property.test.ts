/** Plans, carried out one after another on a model of a workload. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ResourceRef, type ResourceType, refKey } from '../../contract/resource-type.ts';
import { BASELINE, type Baseline, readBaseline } from '../../record/baseline.ts';
import { type PlanOptions, planFor, type Wanted } from '../../record/plan.ts';
import type { RestartPlan } from '../../record/plan-types.ts';

/** What a workload shows: variables and annotations of its one container, and its baseline. */
interface Workload {
  env: Map<string, string>;
  readonly annotations: Map<string, string>;
  baseline: Baseline;
}

/** `a-b` and `a.b` make the same variable. */
const RESOURCES: readonly ResourceRef[] = [
  { type: 'CONFIGMAP', name: 'a-b' },
  { type: 'CONFIGMAP', name: 'a.b' },
  { type: 'CONFIGMAP', name: 'c' },
  { type: 'SECRET', name: 'a-b' },
];

type Contents = ReadonlyMap<string, string>;

const contents = fc
  .array(fc.option(fc.constantFrom('h1', 'h2', 'h3'), { nil: undefined }), {
    minLength: RESOURCES.length,
    maxLength: RESOURCES.length,
  })
  .map((hashes): Contents => {
    const found = new Map<string, string>();
    for (const [at, hash] of hashes.entries()) {
      const resource = RESOURCES[at];
      if (resource !== undefined && hash !== undefined) found.set(refKey(resource), hash);
    }
    return found;
  });

const options = fc.record({
  strategy: fc.constantFrom('env-vars' as const, 'annotations' as const),
  reloadOnCreate: fc.boolean(),
  reloadOnDelete: fc.boolean(),
  syncAfterRestart: fc.boolean(),
  resourceTypes: fc.constant(new Set<ResourceType>(['CONFIGMAP', 'SECRET'])),
});

function planOf(workload: Workload, now: Contents, given: PlanOptions) {
  const wanted = RESOURCES.map(
    (ref): Wanted => ({
      ...ref,
      hash: now.get(refKey(ref)),
      container: 'app',
      rule: 'auto',
      auto: true,
    }),
  );
  const env = [...workload.env].map(([name, value]) => ({ name, value }));
  return planFor({
    namespace: 'demo',
    template: {
      metadata: { annotations: Object.fromEntries(workload.annotations) },
      spec: { containers: [{ name: 'app', env }] },
    },
    baseline: workload.baseline,
    remembered: {},
    wanted,
    options: given,
    nowMs: 0,
  });
}

function writeBaseline(workload: Workload, annotations: RestartPlan['annotations'] = {}): void {
  const text = annotations[BASELINE];
  if (text !== undefined)
    workload.baseline = text === null ? {} : readBaseline({ [BASELINE]: text });
}

/** Does what the plan says; answers the names of the resources that caused a restart. */
function carryOut(workload: Workload, now: Contents, given: PlanOptions): readonly string[] {
  const { annotations, restart } = planOf(workload, now, given);
  if (restart === undefined) {
    writeBaseline(workload, annotations);
    return [];
  }
  const before = JSON.stringify([[...workload.env], [...workload.annotations]]);
  for (const { name, value } of restart.variables) {
    if (value === undefined) workload.env.delete(name);
    else workload.env.set(name, value);
  }
  for (const [name, value] of Object.entries(restart.templateAnnotations)) {
    if (value === null) workload.annotations.delete(name);
    else workload.annotations.set(name, value);
  }
  writeBaseline(workload, restart.annotations);
  expect(JSON.stringify([[...workload.env], [...workload.annotations]])).not.toBe(before);
  return restart.changes.map((each) => refKey(each));
}

const fresh = (): Workload => ({ env: new Map(), annotations: new Map(), baseline: {} });

test('[reloader R9] [reloader R13] after any step, a second plan writes nothing', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(contents, options), { maxLength: 8 }), (steps) => {
      const workload = fresh();
      for (const [now, given] of steps) {
        carryOut(workload, now, given);
        expect(planOf(workload, now, given)).toMatchObject({
          annotations: undefined,
          restart: undefined,
        });
      }
    }),
  );
});

test('[reloader R1] each change of an existing resource causes one restart, and unchanged resources cause none', () => {
  fc.assert(
    fc.property(options, fc.array(contents, { minLength: 1, maxLength: 8 }), (given, steps) => {
      const workload = fresh();
      const last = new Map<string, string>();
      for (const [at, now] of steps.entries()) {
        const causes = carryOut(workload, now, {
          ...given,
          reloadOnDelete: false,
          syncAfterRestart: false,
        });
        for (const [key, hash] of now) {
          const known = last.get(key);
          if (known !== undefined) expect(causes.includes(key)).toBe(known !== hash);
          else if (!given.reloadOnCreate || at === 0) expect(causes).not.toContain(key);
          else expect(causes).toContain(key);
          last.set(key, hash);
        }
      }
    }),
  );
});

test('[reloader R15] a reverted template restarts nothing while the contents stay the same', () => {
  fc.assert(
    fc.property(options, fc.array(contents, { minLength: 1, maxLength: 6 }), (given, steps) => {
      const workload = fresh();
      for (const now of steps) {
        carryOut(workload, now, given);
        const recorded = RESOURCES.filter(
          (each) => workload.baseline[refKey(each)] === now.get(refKey(each)),
        );
        workload.env = new Map();
        workload.annotations.clear();
        const causes =
          planOf(workload, now, given).restart?.changes.map((each) => refKey(each)) ?? [];
        for (const each of recorded) expect(causes).not.toContain(refKey(each));
      }
    }),
  );
});
