/** Records of a workload and contents of now → what is written. */
import { describe, expect, test } from 'vitest';
import { DELETED_HASH } from '../../contract/hash.ts';
import type { ResourceType } from '../../contract/resource-type.ts';
import { suffixedVariableName } from '../../contract/variable-name.ts';
import { BASELINE, type Baseline } from '../../record/baseline.ts';
import { type Plan, type PlanOptions, planFor, type Wanted } from '../../record/plan.ts';

const OPTIONS: PlanOptions = {
  strategy: 'env-vars',
  reloadOnCreate: false,
  reloadOnDelete: false,
  syncAfterRestart: false,
  resourceTypes: new Set<ResourceType>(['CONFIGMAP', 'SECRET']),
};

interface Situation {
  readonly env?: Readonly<Record<string, string>>;
  readonly last?: object;
  readonly baseline?: Baseline;
  readonly remembered?: Baseline;
  readonly options?: Partial<PlanOptions>;
  readonly keepsTemplate?: boolean;
}

const configMap = (name: string, hash: string | undefined): Wanted => ({
  type: 'CONFIGMAP',
  name,
  hash,
  container: 'app',
  rule: 'auto',
  auto: true,
});

function plan(wanted: readonly Wanted[], situation: Situation = {}): Plan {
  const { env = {}, last, baseline = {}, remembered = {}, options, keepsTemplate } = situation;
  const variables = Object.entries(env).map(([name, value]) => ({ name, value }));
  const annotations = last && {
    'reloader.stakater.com/last-reloaded-from': JSON.stringify(last),
  };
  return planFor({
    namespace: 'demo',
    template: {
      ...(annotations && { metadata: { annotations } }),
      spec: { containers: [{ name: 'side' }, { name: 'app', env: variables }] },
    },
    baseline,
    remembered,
    wanted,
    options: { ...OPTIONS, ...options },
    ...(keepsTemplate !== undefined && { keepsTemplate }),
    nowMs: Date.parse('2026-01-02T03:04:05.678Z'),
  });
}

const NOTHING = { annotations: undefined, restart: undefined, unshown: 0 };
const baselineOf = (entries: Baseline) => ({ [BASELINE]: JSON.stringify(entries) });

describe('without a record', () => {
  test('content without a record is recorded, and nothing restarts', () => {
    expect(plan([configMap('b', 'h2'), configMap('a', 'h1')])).toEqual({
      ...NOTHING,
      annotations: baselineOf({ 'configmap/a': 'h1', 'configmap/b': 'h2' }),
    });
  });

  test('a missing resource without a record is recorded only with --reload-on-create', () => {
    const on = { reloadOnCreate: true };
    expect(plan([configMap('a', undefined)])).toEqual(NOTHING);
    expect(plan([configMap('a', undefined)], { options: on }).annotations).toEqual(
      baselineOf({ 'configmap/a': '' }),
    );
  });

  test('with --sync-after-restart, content that has no record counts as created', () => {
    const options = { reloadOnCreate: true, syncAfterRestart: true };
    expect(plan([configMap('a', 'h1')], { options }).restart?.changes).toMatchObject([
      { name: 'a', hash: 'h1' },
    ]);
  });
});

describe('[reloader 10] values that the original operator has written', () => {
  test('an equal variable or annotation of the original operator needs no write', () => {
    expect(plan([configMap('a', 'h1')], { env: { STAKATER_A_CONFIGMAP: 'h1' } })).toEqual(NOTHING);
    const last = { type: 'CONFIGMAP', name: 'a', hash: 'h1' };
    expect(plan([configMap('a', 'h1')], { last })).toEqual(NOTHING);
  });

  test('if the hash that the original operator wrote differs from the content, this counts as a missed change', () => {
    const env = { STAKATER_A_CONFIGMAP: 'h0' };
    const last = { type: 'CONFIGMAP', name: 'a', hash: 'h0' };
    expect(plan([configMap('a', 'h1')], { env }).restart?.variables).toEqual([
      { container: 'app', name: 'STAKATER_A_CONFIGMAP', value: 'h1' },
    ]);
    expect(plan([configMap('a', 'h1')], { last }).restart?.changes).toHaveLength(1);
  });

  test('after a change of the strategy, the record of the current strategy outranks the record of the earlier strategy', () => {
    const env = { STAKATER_A_CONFIGMAP: 'h1' };
    const last = { type: 'CONFIGMAP', name: 'a', hash: 'h2' };
    const options = { strategy: 'annotations' } as const;
    expect(plan([configMap('a', 'h2')], { env, last, options })).toEqual(NOTHING);
    expect(plan([configMap('a', 'h2')], { env, last }).restart?.changes).toHaveLength(1);
    expect(plan([configMap('a', 'h3')], { env, last, options }).restart?.variables).toEqual([
      { container: 'app', name: 'STAKATER_A_CONFIGMAP', value: 'h3' },
    ]);
  });

  test('if restarts do not change the template, the baseline outranks a variable of the original operator', () => {
    const env = { STAKATER_A_CONFIGMAP: 'h1' };
    const kept = { env, keepsTemplate: true };
    expect(plan([configMap('a', 'h1')], kept)).toEqual(NOTHING);
    const back = plan([configMap('a', 'h1')], { ...kept, baseline: { 'configmap/a': 'h2' } });
    expect(back.restart?.annotations).toEqual(baselineOf({ 'configmap/a': 'h1' }));
  });

  test('a variable in the container to mark outranks the same variable in another container', () => {
    const containers = (side: string, app: string | undefined) => [
      { name: 'side', env: [{ name: 'STAKATER_A_CONFIGMAP', value: side }] },
      { name: 'app', env: app === undefined ? [] : [{ name: 'STAKATER_A_CONFIGMAP', value: app }] },
    ];
    const of = (side: string, app: string | undefined): Plan =>
      planFor({
        namespace: 'demo',
        template: { spec: { containers: containers(side, app) } },
        baseline: {},
        remembered: {},
        wanted: [configMap('a', 'h1')],
        options: OPTIONS,
        nowMs: 0,
      });
    expect(of('h1', undefined)).toEqual(NOTHING);
    expect(of('h0', 'h1')).toEqual(NOTHING);
    expect(of('h1', 'h2').restart?.variables).toContainEqual({
      container: 'app',
      name: 'STAKATER_A_CONFIGMAP',
      value: 'h1',
    });
  });

  test('if the original operator wrote a variable without a suffix later, it outranks the variable with a suffix', () => {
    const suffixed = suffixedVariableName({ type: 'CONFIGMAP', name: 'a-b' });
    const env = { STAKATER_A_B_CONFIGMAP: 'theirs', [suffixed]: 'ours' };
    const wanted = (hash: string) => [configMap('a-b', hash), configMap('a.b', 'x')];
    const baseline = { 'configmap/a-b': 'ours', 'configmap/a.b': 'x' };
    const seen = plan(wanted('theirs'), { env, baseline });
    expect(seen.restart).toBeUndefined();
    expect(seen.annotations).toEqual(baselineOf({ ...baseline, 'configmap/a-b': 'theirs' }));

    const back = { env, baseline: { ...baseline, 'configmap/a-b': 'theirs' } };
    expect(plan(wanted('ours'), back).restart?.changes).toMatchObject([{ name: 'a-b' }]);
  });

  test('an equal variable of the original operator renews a stale baseline', () => {
    const env = { STAKATER_A_CONFIGMAP: 'h1' };
    const baseline = { 'configmap/a': 'h0' };
    expect(plan([configMap('a', 'h1')], { env, baseline })).toEqual({
      ...NOTHING,
      annotations: baselineOf({ 'configmap/a': 'h1' }),
    });
  });
});

describe('a restart', () => {
  test('[reloader 12] the plan of a restart contains all changes and the baseline', () => {
    const baseline = { 'configmap/a': 'h0', 'configmap/b': 'h0', 'configmap/c': 'h0' };
    const { restart, annotations } = plan(
      [configMap('c', 'h0'), configMap('b', 'h2'), configMap('a', 'h1')],
      { baseline },
    );

    expect(annotations).toBeUndefined();
    expect(restart?.variables).toEqual([
      { container: 'app', name: 'STAKATER_A_CONFIGMAP', value: 'h1' },
      { container: 'app', name: 'STAKATER_B_CONFIGMAP', value: 'h2' },
    ]);
    expect(restart?.annotations).toEqual(
      baselineOf({ 'configmap/a': 'h1', 'configmap/b': 'h2', 'configmap/c': 'h0' }),
    );
    expect(restart?.templateAnnotations).toEqual({});
  });

  test('[reloader 9] a restart by annotation records the last resource, with the fields and the order of the original operator', () => {
    const baseline = { 'configmap/a': 'h0', 'configmap/b': 'h0' };
    const { restart } = plan([configMap('b', 'h2'), configMap('a', 'h1')], {
      baseline,
      options: { strategy: 'annotations' },
    });

    expect(restart?.variables).toEqual([]);
    expect(restart?.templateAnnotations).toEqual({
      'reloader.stakater.com/last-reloaded-from':
        '{"type":"CONFIGMAP","name":"b","namespace":"demo","hash":"h2","containerRefs":["app"],"observedAt":1767323045}',
    });
    expect(restart?.annotations).toEqual(baselineOf({ 'configmap/a': 'h1', 'configmap/b': 'h2' }));
  });

  test('[reloader R9] a restart by annotation moves the record that it overwrites into the baseline', () => {
    const last = { type: 'CONFIGMAP', name: 'a', hash: 'h1' };
    const { restart } = plan([configMap('a', 'h1'), configMap('b', 'h2')], {
      last,
      baseline: { 'configmap/b': 'h0' },
      options: { strategy: 'annotations' },
    });

    expect(restart?.annotations).toEqual(baselineOf({ 'configmap/a': 'h1', 'configmap/b': 'h2' }));
  });

  test('a restart removes every old hash that could equal the hash of later content', () => {
    const last = { type: 'CONFIGMAP', name: 'a', hash: 'h0' };
    const env = { STAKATER_A_CONFIGMAP: 'h0' };
    const byAnnotation = plan([configMap('a', 'h1')], {
      env,
      options: { strategy: 'annotations' },
    });
    const byVariable = plan([configMap('a', 'h1')], { last });

    expect(byAnnotation.restart?.variables).toEqual([
      { container: 'app', name: 'STAKATER_A_CONFIGMAP', value: 'h1' },
    ]);
    expect(byVariable.restart?.templateAnnotations).toEqual({
      'reloader.stakater.com/last-reloaded-from': null,
    });
  });

  test('for a workload without a container, the hash of the content is recorded, and nothing restarts', () => {
    const { container: _, ...rest } = configMap('a', 'h1');
    const { annotations, restart } = plan([{ ...rest, container: undefined }], {
      baseline: { 'configmap/a': 'h0' },
    });

    expect(restart).toBeUndefined();
    expect(annotations).toEqual(baselineOf({ 'configmap/a': 'h1' }));
  });
});

describe('[reloader 15] a deleted resource', () => {
  const baseline = { 'configmap/a': 'h1' };

  test('the record of a deleted resource is kept, so that its re-creation causes a restart only with different content', () => {
    expect(plan([configMap('a', undefined)], { baseline })).toEqual(NOTHING);
    expect(plan([configMap('a', 'h1')], { baseline })).toEqual(NOTHING);
    expect(plan([configMap('a', 'h2')], { baseline }).restart?.changes).toHaveLength(1);
  });

  test('with --reload-on-delete, the variables of a deleted resource are removed, and the baseline records the resource as absent', () => {
    const { restart } = plan([configMap('a', undefined)], {
      env: { STAKATER_A_CONFIGMAP: 'h1', STAKATER_AB_CONFIGMAP: 'h1' },
      options: { reloadOnDelete: true },
    });

    expect(restart?.changes).toMatchObject([{ name: 'a', deleted: true }]);
    expect(restart?.variables).toEqual([
      { container: 'app', name: 'STAKATER_A_CONFIGMAP', value: undefined },
    ]);
    expect(restart?.annotations).toEqual(baselineOf({ 'configmap/a': '' }));
  });

  test('with --reload-on-delete, a deleted resource without a variable is only recorded, as in the original operator', () => {
    const options = { reloadOnDelete: true };
    expect(plan([configMap('a', undefined)], { baseline, options })).toEqual({
      annotations: baselineOf({ 'configmap/a': '' }),
      restart: undefined,
      unshown: 1,
    });
  });

  test('with the strategy `annotations`, a deletion is written once, with the hash for deleted resources', () => {
    const options = { reloadOnDelete: true, strategy: 'annotations' } as const;
    const { restart } = plan([configMap('a', undefined)], { baseline, options });
    const last = JSON.parse(
      restart?.templateAnnotations['reloader.stakater.com/last-reloaded-from'] ?? '{}',
    ) as object;

    expect(last).toMatchObject({ name: 'a', hash: DELETED_HASH });
    expect(plan([configMap('a', undefined)], { last, options }).restart).toBeUndefined();
  });

  test('a resource created again after its deletion restarts only with --reload-on-create', () => {
    const absent = { 'configmap/a': '' };
    expect(plan([configMap('a', 'h1')], { baseline: absent }).restart).toBeUndefined();
    const options = { reloadOnCreate: true };
    expect(plan([configMap('a', 'h1')], { baseline: absent, options }).restart).toBeDefined();
  });
});

describe('[reloader R13] [reloader 7] two names collide if they result in the same variable', () => {
  const both = (first: string, second: string) => [
    configMap('a-b', first),
    configMap('a.b', second),
  ];
  const PLAIN = 'STAKATER_A_B_CONFIGMAP';
  const SUFFIXED = 'STAKATER_A_B_CONFIGMAP_4E1CA1D8';

  test('the variable of the original operator counts for one of two colliding names, and the baseline records both names', () => {
    expect(plan(both('h1', 'h2'), { env: { [PLAIN]: 'h1' } })).toEqual({
      ...NOTHING,
      annotations: baselineOf({ 'configmap/a-b': 'h1', 'configmap/a.b': 'h2' }),
    });
  });

  test('if two names collide, the second name gets a separate variable with its next change, and keeps it', () => {
    const env = { [PLAIN]: 'h1' };
    const baseline = { 'configmap/a-b': 'h1', 'configmap/a.b': 'h2' };
    const [variable] = plan(both('h1', 'h3'), { env, baseline }).restart?.variables ?? [];

    expect(variable).toMatchObject({
      name: expect.stringMatching(/^STAKATER_A_B_CONFIGMAP_/),
      value: 'h3',
    });
    const after = { ...env, [variable?.name ?? SUFFIXED]: 'h3' };
    const recorded = { 'configmap/a-b': 'h1', 'configmap/a.b': 'h3' };
    expect(plan(both('h1', 'h3'), { env: after, baseline: recorded })).toEqual(NOTHING);
    expect(plan(both('h4', 'h3'), { env: after, baseline: recorded }).restart?.variables).toEqual([
      { container: 'app', name: PLAIN, value: 'h4' },
    ]);
  });

  test('two colliding names that change together get different variables', () => {
    const baseline = { 'configmap/a-b': 'h1', 'configmap/a.b': 'h2' };
    const names = plan(both('h3', 'h4'), { baseline }).restart?.variables.map(({ name }) => name);

    expect(names?.[0]).toBe(PLAIN);
    expect(new Set(names).size).toBe(2);
  });
});

describe('[reloader R15] a manager that reverts the workload', () => {
  test('a reverted workload does not restart while its baseline exists or is remembered', () => {
    const baseline = { 'configmap/a': 'h1' };
    expect(plan([configMap('a', 'h1')], { baseline })).toEqual(NOTHING);
    const reverted = { baseline: { 'configmap/a': 'h0' }, remembered: baseline };
    for (const each of [{ remembered: baseline }, reverted]) {
      expect(plan([configMap('a', 'h1')], each)).toEqual({
        ...NOTHING,
        annotations: baselineOf({ 'configmap/a': 'h1' }),
      });
    }
  });
});

test('the baseline loses entries of unrelated resources, and keeps entries of types that are not watched', () => {
  const baseline = { 'configmap/a': 'h1', 'configmap/old': 'h1', 'secretproviderclass/p': 'h1' };
  expect(plan([configMap('a', 'h1')], { baseline }).annotations).toEqual(
    baselineOf({ 'configmap/a': 'h1', 'secretproviderclass/p': 'h1' }),
  );
});

describe('[reloader R23] a resource with listed keys', () => {
  const some = (hash: string): Wanted => ({ ...configMap('app', hash), keys: ['level'] });

  test('the first content of listed keys is recorded without a restart, whatever is recorded for the whole resource', () => {
    const env = { STAKATER_APP_CONFIGMAP: 'whole' };
    const last = { type: 'CONFIGMAP', name: 'app', hash: 'whole' };
    for (const shown of [{ env }, { last }, { baseline: { 'configmap/app': 'whole' } }]) {
      const { annotations, restart } = plan([some('part')], shown);

      expect(restart).toBeUndefined();
      expect(Object.values(JSON.parse(annotations?.[BASELINE] ?? '{}'))).toEqual(['part']);
    }
  });

  test('a change of the listed keys causes a restart, and writes the variable of the resource', () => {
    const first = plan([some('part')]).annotations?.[BASELINE] ?? '{}';
    const baseline = JSON.parse(first) as Baseline;
    expect(Object.keys(baseline)[0]).toMatch(/^configmap\/app\?[0-9a-f]{8}$/);

    const env = { STAKATER_APP_CONFIGMAP: 'whole' };
    const { restart } = plan([some('next')], { env, baseline });

    const variable = { container: 'app', name: 'STAKATER_APP_CONFIGMAP', value: 'next' };
    expect(restart?.variables).toEqual([variable]);
    expect(plan([some('part')], { env, baseline })).toEqual(NOTHING);
  });
});
