/** The decision: which change restarts which workload, and by which rule. */
import type { coreV1 } from 'chancery/kubernetes';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEFAULT_ANNOTATIONS } from '../../contract/annotations.ts';
import {
  type DecideOptions,
  type Decision,
  decide,
  type ResourceView,
  RULES,
  type Rule,
  type WorkloadView,
} from '../../contract/decide.ts';
import { RESOURCE_TYPES, type ResourceType } from '../../contract/resource-type.ts';

const KEYS = DEFAULT_ANNOTATIONS;
const OPTIONS: DecideOptions = {
  autoReloadAll: false,
  ignoredKinds: new Set(),
  annotations: KEYS,
};
const ALL: DecideOptions = { ...OPTIONS, autoReloadAll: true };

/** The first container has nothing, the second one has all three resources called `app`. */
const POD_SPEC: coreV1.PodSpec = {
  volumes: [
    { name: 'class', csi: { driver: 'd', volumeAttributes: { secretProviderClass: 'app' } } },
  ],
  containers: [
    { name: 'side' },
    {
      name: 'main',
      envFrom: [{ configMapRef: { name: 'app' } }, { secretRef: { name: 'app' } }],
      volumeMounts: [{ name: 'class', mountPath: '/class' }],
    },
  ],
};

const workload = (
  annotations: Record<string, string>,
  more: Partial<WorkloadView> = {},
): WorkloadView => ({
  kind: 'Deployment',
  annotations,
  templateAnnotations: {},
  podSpec: POD_SPEC,
  ...more,
});
const onTemplate = (
  templateAnnotations: Record<string, string>,
  annotations: Record<string, string> = {},
): WorkloadView => workload(annotations, { templateAnnotations });

const resource = (
  annotations: Record<string, string> = {},
  more: Partial<ResourceView> = {},
): ResourceView => ({ type: 'CONFIGMAP', name: 'app', annotations, ...more });
const OTHER = resource({}, { name: 'other' });

/** The rule, and the container after a slash when it reloads. */
function ruleOf(of: ResourceView, by: WorkloadView, options = OPTIONS): string {
  const { reload, rule, container } = decide(of, by, options);
  return reload ? `${rule}/${container}` : rule;
}

const RELOAD = KEYS.reload.CONFIGMAP;

describe('[reloader 28] a decision contains its rule:', () => {
  const cases: Record<Rule, [ResourceView, WorkloadView, DecideOptions, string?]> = {
    'kind-ignored': [
      resource(),
      workload({ [KEYS.auto]: 'true' }, { kind: 'Job' }),
      { ...OPTIONS, ignoredKinds: new Set(['Job']) },
    ],
    'resource-ignored': [
      resource({ [KEYS.ignore]: 'true' }),
      workload({ [KEYS.auto]: 'true', [RELOAD]: 'app' }),
      OPTIONS,
    ],
    excluded: [
      resource(),
      workload({ [RELOAD]: 'app', [KEYS.exclude.CONFIGMAP]: 'x, app' }),
      OPTIONS,
    ],
    named: [resource(), workload({ [RELOAD]: 'app', [KEYS.auto]: 'true' }), OPTIONS, 'main'],
    'named-unreferenced': [OTHER, workload({ [RELOAD]: 'oth.*' }), OPTIONS, 'side'],
    search: [
      resource({ [KEYS.match]: 'true' }),
      workload({ [KEYS.search]: 'true', [KEYS.auto]: 'true' }),
      OPTIONS,
      'main',
    ],
    auto: [
      resource(),
      workload({ [KEYS.auto]: 'true', [KEYS.typedAuto.CONFIGMAP]: 'true' }),
      OPTIONS,
      'main',
    ],
    'typed-auto': [resource(), workload({ [KEYS.typedAuto.CONFIGMAP]: 'T' }), OPTIONS, 'main'],
    'auto-reload-all': [resource(), workload({}), ALL, 'main'],
    unreferenced: [OTHER, workload({ [KEYS.auto]: 'true' }), OPTIONS],
    'auto-off': [resource(), workload({ [KEYS.auto]: 'false' }), ALL],
    'no-rule': [resource(), workload({}), OPTIONS],
  };

  test.each(Object.entries(cases))('the rule %s leads to the expected decision', (rule, [
    of,
    by,
    options,
    container,
  ]) => {
    const decision = decide(of, by, options);

    expect(decision).toEqual({
      reload: container !== undefined,
      rule,
      auto: ['search', 'auto', 'typed-auto', 'auto-reload-all'].includes(rule),
      container,
      problems: [],
    });
  });

  test('the decision has twelve rules, each with a different sentence', () => {
    expect(Object.keys(RULES)).toHaveLength(12);
    expect(new Set(Object.values(RULES)).size).toBe(12);
  });
});

describe('[reloader 2] the annotation `auto`', () => {
  test.each(RESOURCE_TYPES)('the annotation `auto` for %s affects no other type', (type) => {
    const asked = workload({ [KEYS.typedAuto[type]]: 'true' });

    const reloading = RESOURCE_TYPES.filter(
      (each) => decide(resource({}, { type: each }), asked, OPTIONS).reload,
    );

    expect(reloading).toEqual([type]);
  });

  test.each([
    '1',
    't',
    'T',
    'true',
    'True',
    'TRUE',
  ])('the value %j of the annotation `auto` counts as true', (word) => {
    expect(ruleOf(resource(), workload({ [KEYS.auto]: word }))).toBe('auto/main');
    expect(ruleOf(resource(), workload({ [KEYS.typedAuto.CONFIGMAP]: word }))).toBe(
      'typed-auto/main',
    );
  });

  test.each([
    'tRUE',
    'yes',
    ' true',
    '2',
    'on',
  ])('the value %j of the annotation `auto` is not true, and is reported as a problem', (word) => {
    const { rule, problems } = decide(resource(), workload({ [KEYS.auto]: word }), ALL);

    expect(rule).toBe('auto-off');
    expect(problems).toEqual([
      { annotation: KEYS.auto, message: `must be true or false, not ${JSON.stringify(word)}` },
    ]);
  });

  test.each([
    ['true', 'false', 'auto/main'],
    ['false', 'true', 'typed-auto/main'],
    ['nonsense', 'true', 'typed-auto/main'],
    ['', 'true', 'typed-auto/main'],
    ['', 'false', 'auto-off'],
    ['false', '', 'auto-off'],
    ['', '', 'auto-reload-all/main'],
  ])('with --auto-reload-all, the value %j of `auto` and the value %j of `auto` for one type result in %s', (auto, typed, expected) => {
    const asked = workload({ [KEYS.auto]: auto, [KEYS.typedAuto.CONFIGMAP]: typed });

    expect(ruleOf(resource(), asked, ALL)).toBe(expected);
  });

  test('the annotation `auto` for one type with the value false excludes only this type from --auto-reload-all', () => {
    const asked = workload({ [KEYS.typedAuto.SECRET]: 'false' });

    expect(ruleOf(resource({}, { type: 'SECRET' }), asked, ALL)).toBe('auto-off');
    expect(ruleOf(resource(), asked, ALL)).toBe('auto-reload-all/main');
  });

  test('--auto-reload-all also reloads a workload that has only the annotation `search`', () => {
    expect(ruleOf(resource(), workload({ [KEYS.search]: 'true' }), ALL)).toBe(
      'auto-reload-all/main',
    );
  });

  test('the annotation `auto: false` does not disable a named list', () => {
    expect(ruleOf(resource(), workload({ [KEYS.auto]: 'false', [RELOAD]: 'app' }))).toBe(
      'named/main',
    );
  });

  test.each([
    'constructor',
    '__proto__',
    'toString',
  ])('with the annotation key %s for `auto`, the annotation counts as absent', (auto) => {
    const options = { ...OPTIONS, annotations: { ...KEYS, auto } };

    expect(decide(resource(), workload({}), options)).toMatchObject({
      rule: 'no-rule',
      problems: [],
    });
  });
});

describe('[reloader 3] a named list', () => {
  test('a named list reloads for the resources in it, even without a reference, and then marks the first container', () => {
    const asked = workload({ [RELOAD]: 'app-.*, other' });

    expect(ruleOf(OTHER, asked)).toBe('named-unreferenced/side');
    expect(ruleOf(resource({}, { name: 'app-1' }), asked)).toBe('named-unreferenced/side');
    expect(ruleOf(resource(), asked)).toBe('no-rule');
  });

  test.each(RESOURCE_TYPES)('a named list for %s has a separate annotation key', (type) => {
    const asked = workload({ [KEYS.reload[type]]: '.*' });

    const reloading = RESOURCE_TYPES.filter(
      (each) => decide(resource({}, { type: each }), asked, OPTIONS).reload,
    );

    expect(reloading).toEqual([type]);
  });

  test('a broken pattern in a named list is reported, and its other patterns and the other rules take effect', () => {
    const asked = workload({ [RELOAD]: '[a-, other', [KEYS.auto]: 'true' });

    const named = decide(OTHER, asked, OPTIONS);
    const auto = decide(resource(), asked, OPTIONS);

    expect([named.rule, auto.rule]).toEqual(['named-unreferenced', 'auto']);
    expect(named.problems).toEqual(auto.problems);
    expect(named.problems).toEqual([
      { annotation: RELOAD, message: expect.stringContaining('"[a-"') },
    ]);
  });

  test('a broken pattern of a named list is reported for any resource of the type, even for a resource without a name', () => {
    const asked = workload({
      [RELOAD]: '(',
      [KEYS.search]: 'yes',
      [KEYS.exclude.CONFIGMAP]: 'x,,y',
    });

    for (const name of ['', 'app', 'unrelated']) {
      const { problems } = decide(resource({}, { name }), asked, OPTIONS);

      expect(problems.map(({ annotation }) => annotation)).toEqual([RELOAD, KEYS.search]);
    }
    expect(decide(resource({}, { type: 'SECRET' }), asked, OPTIONS).problems).toHaveLength(1);
  });

  test('a named list marks no container if the template has none', () => {
    const asked = workload({ [RELOAD]: 'other' }, { podSpec: { containers: [] } });

    expect(decide(OTHER, asked, OPTIONS)).toMatchObject({ reload: true, container: undefined });
  });
});

describe('[reloader 4] the annotations `search`, `match`, `ignore` and `exclude`', () => {
  test.each([
    ['true', 'true', 'search/main'],
    ['true', 'false', 'no-rule'],
    ['false', 'true', 'no-rule'],
    ['false', 'false', 'no-rule'],
    ['True', 'true', 'no-rule'],
    ['true', 'True', 'no-rule'],
    ['1', '1', 'no-rule'],
  ])('`search` %j with `match` %j results in %s', (search, match, expected) => {
    const asked = workload({ [KEYS.search]: search });

    expect(ruleOf(resource({ [KEYS.match]: match }), asked)).toBe(expected);
  });

  test('the annotation `search` has an effect only if the workload refers to the resource', () => {
    const matching = { ...OTHER, annotations: { [KEYS.match]: 'true' } };

    expect(ruleOf(matching, workload({ [KEYS.search]: 'true' }))).toBe('unreferenced');
  });

  test('the annotation `search` with any other value than true is reported as a problem', () => {
    const { problems } = decide(resource(), workload({ [KEYS.search]: 'True' }), OPTIONS);

    expect(problems).toEqual([
      { annotation: KEYS.search, message: 'must be exactly true, or false, not "True"' },
    ]);
  });

  test.each([
    'True',
    '1',
    'false',
    '',
  ])('the annotation `ignore` with the value %j on the resource has no effect', (ignore) => {
    const asked = workload({ [KEYS.auto]: 'true' });

    expect(ruleOf(resource({ [KEYS.ignore]: ignore }), asked)).toBe('auto/main');
  });

  test('the annotation `ignore` on the workload has no effect', () => {
    const asked = workload({ [KEYS.auto]: 'true', [KEYS.ignore]: 'true' });

    expect(ruleOf(resource(), asked)).toBe('auto/main');
  });

  test.each(RESOURCE_TYPES)('an exclude list for %s excludes no other type', (type) => {
    const asked = workload({ [KEYS.auto]: 'true', [KEYS.exclude[type]]: ' app , z' });

    const excluded = RESOURCE_TYPES.filter(
      (each) => decide(resource({}, { type: each }), asked, OPTIONS).rule === 'excluded',
    );

    expect(excluded).toEqual([type]);
  });

  test('an exclude list contains names, and no patterns', () => {
    const asked = workload({ [KEYS.auto]: 'true', [KEYS.exclude.CONFIGMAP]: 'ap.,.*' });

    expect(ruleOf(resource(), asked)).toBe('auto/main');
  });
});

describe('[reloader 5] annotations of the Pod template', () => {
  test.each<[string, Record<string, string>, Rule]>([
    ['auto', { [KEYS.auto]: 'true' }, 'auto'],
    ['auto for one type', { [KEYS.typedAuto.CONFIGMAP]: 'true' }, 'typed-auto'],
    ['a named list', { [RELOAD]: 'app' }, 'named'],
    ['search', { [KEYS.search]: 'true' }, 'search'],
    ['exclude', { [KEYS.auto]: 'true', [KEYS.exclude.CONFIGMAP]: 'app' }, 'excluded'],
  ])('the annotation %s has an effect even if only the Pod template has it', (_, annotations, rule) => {
    const matching = resource({ [KEYS.match]: 'true' });

    expect(decide(matching, onTemplate(annotations), OPTIONS).rule).toBe(rule);
  });

  test.each([
    RELOAD,
    KEYS.search,
    KEYS.auto,
    KEYS.typedAuto.CONFIGMAP,
  ])('annotations of the Pod template have no effect if the metadata has %s, even with an empty value', (key) => {
    const template = {
      [KEYS.auto]: 'true',
      [RELOAD]: 'app',
      [KEYS.search]: 'true',
      [KEYS.exclude.CONFIGMAP]: 'app',
    };
    const matching = resource({ [KEYS.match]: 'true' });

    expect(ruleOf(matching, onTemplate(template, { [key]: '' }))).toBe('no-rule');
  });

  test('annotations of the Pod template take effect for a type if the workload itself has none for this type', () => {
    const asked = onTemplate(
      { [KEYS.auto]: 'true' },
      { [KEYS.typedAuto.SECRET]: 'true', [KEYS.reload.SECRET]: 'x' },
    );

    expect(ruleOf(resource(), asked)).toBe('auto/main');
    expect(ruleOf(resource({}, { type: 'SECRET' }), asked)).toBe('typed-auto/main');
  });

  test('exclude lists of the metadata and of the Pod template are combined', () => {
    const key = KEYS.exclude.CONFIGMAP;
    const asked = onTemplate({ [KEYS.auto]: 'true', [key]: 'app' }, { [key]: 'other' });

    expect([ruleOf(resource(), asked), ruleOf(OTHER, asked)]).toEqual(['excluded', 'excluded']);
  });
});

test('annotations take effect with the keys from the flags, and not with the default keys', () => {
  const types: readonly ResourceType[] = RESOURCE_TYPES;
  const annotations = { ...KEYS, auto: 'example.com/auto', ignore: 'example.com/ignore' };
  const options = { ...OPTIONS, annotations };
  const asked = workload({ 'example.com/auto': 'true' });

  expect(types.map((type) => ruleOf(resource({}, { type }), asked, options))).toEqual([
    'auto/main',
    'auto/main',
    'auto/main',
  ]);
  expect(ruleOf(resource(), workload({ [KEYS.auto]: 'true' }), options)).toBe('no-rule');
  expect(ruleOf(resource({ [KEYS.ignore]: 'true' }), asked, options)).toBe('auto/main');
  expect(ruleOf(resource({ 'example.com/ignore': 'true' }), asked, options)).toBe(
    'resource-ignored',
  );
});

describe('with any annotations', () => {
  const keys = [KEYS.auto, KEYS.search, RELOAD, KEYS.typedAuto.CONFIGMAP, KEYS.exclude.CONFIGMAP];
  const words = ['', 'true', 'false', 'True', 'nonsense', 'app', 'app-.*', 'app|x', '(', 'x,other'];
  const annotations = fc.dictionary(fc.constantFrom(...keys), fc.constantFrom(...words));
  const given = fc.record({
    metadata: annotations,
    template: annotations,
    of: fc.record({
      name: fc.constantFrom('app', 'app-1', 'other'),
      match: fc.constantFrom('true', 'false'),
    }),
    autoReloadAll: fc.boolean(),
  });
  const decideFor = (
    {
      metadata,
      template,
      of,
      autoReloadAll,
    }: typeof given extends fc.Arbitrary<infer T> ? T : never,
    more: { ignore?: string } = {},
  ): Decision =>
    decide(
      resource({ [KEYS.match]: of.match, [KEYS.ignore]: more.ignore ?? '' }, { name: of.name }),
      onTemplate(template, metadata),
      { ...OPTIONS, autoReloadAll },
    );

  test('every reload is caused by a reference or by a named list, and marks one container', () => {
    fc.assert(
      fc.property(given, (each) => {
        const { reload, rule, auto, container } = decideFor(each);

        expect(container !== undefined).toBe(reload);
        if (auto) expect([reload, each.of.name]).toEqual([true, 'app']);
        else if (reload) expect(rule).toMatch(/^named/);
      }),
    );
  });

  test('the annotation `ignore` on the resource, or its name in an exclude list, prevents every reload', () => {
    fc.assert(
      fc.property(given, (each) => {
        const excluding = { ...each.metadata, [KEYS.exclude.CONFIGMAP]: `x, ${each.of.name}` };

        expect(decideFor(each, { ignore: 'true' }).rule).toBe('resource-ignored');
        expect(decideFor({ ...each, metadata: excluding }).rule).toBe('excluded');
      }),
    );
  });

  test('annotations of the Pod template have no effect if the workload itself has one of the four annotation keys', () => {
    fc.assert(
      fc.property(given, annotations, fc.constantFrom(...keys.slice(0, 4)), (each, other, key) => {
        const metadata = { [key]: '', ...each.metadata };

        expect(decideFor({ ...each, metadata, template: other })).toEqual(
          decideFor({ ...each, metadata }),
        );
      }),
    );
  });

  test('--auto-reload-all never prevents a reload', () => {
    fc.assert(
      fc.property(given, (each) => {
        const without = decideFor({ ...each, autoReloadAll: false });

        if (without.reload) expect(decideFor({ ...each, autoReloadAll: true })).toEqual(without);
      }),
    );
  });
});
