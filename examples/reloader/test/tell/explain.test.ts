import { expect, test } from 'vitest';
import { DEFAULT_ANNOTATIONS } from '../../contract/annotations.ts';
import {
  type DecideOptions,
  decide,
  type ResourceView,
  RULES,
  type Rule,
  type WorkloadView,
} from '../../contract/decide.ts';
import { explanation, type WorkloadFacts } from '../../tell/explain.ts';
import { explainRequest } from '../../tell/explain-command.ts';

const KEY = 'reloader.stakater.com';
const REFERENCED = { containers: [{ name: 'app', envFrom: [{ configMapRef: { name: 'app' } }] }] };
const UNREFERENCED = { containers: [{ name: 'app' }] };

interface Given {
  readonly resource?: Readonly<Record<string, string>>;
  readonly workload?: Readonly<Record<string, string>>;
  readonly podSpec?: WorkloadView['podSpec'];
  readonly options?: Partial<DecideOptions>;
}

/** The explanation of a Deployment and the ConfigMap `app`. */
function explained({ resource = {}, workload = {}, podSpec = REFERENCED, options }: Given) {
  const ref: ResourceView = { type: 'CONFIGMAP', name: 'app', annotations: resource };
  const view = {
    kind: 'Deployment',
    annotations: workload,
    templateAnnotations: {},
    podSpec,
  } as const;
  const none = { autoReloadAll: false, ignoredKinds: new Set<never>() };
  const decision = decide(ref, view, { ...none, annotations: DEFAULT_ANNOTATIONS, ...options });
  return explanation(factsOf({ resources: [{ ref, decision, state: 'changed' }] }));
}

function factsOf(facts: Partial<WorkloadFacts>): WorkloadFacts {
  return {
    kind: 'Deployment',
    namespace: 'demo',
    name: 'web',
    leftAlone: undefined,
    resources: [],
    problems: [],
    waits: [],
    pausedAtMs: undefined,
    pausePeriodMs: undefined,
    ...facts,
  };
}

const CASES: Readonly<Record<Rule, Given>> = {
  'kind-ignored': {
    workload: { [`${KEY}/auto`]: 'true' },
    options: { ignoredKinds: new Set(['Deployment']) },
  },
  'resource-ignored': {
    resource: { [`${KEY}/ignore`]: 'true' },
    workload: { [`${KEY}/auto`]: 'true' },
  },
  excluded: {
    workload: { [`configmaps.exclude.${KEY}/reload`]: 'x, app', [`${KEY}/auto`]: 'true' },
  },
  named: { workload: { [`configmap.${KEY}/reload`]: 'a.*' } },
  'named-unreferenced': {
    workload: { [`configmap.${KEY}/reload`]: 'app' },
    podSpec: UNREFERENCED,
  },
  search: { workload: { [`${KEY}/search`]: 'true' }, resource: { [`${KEY}/match`]: 'true' } },
  auto: { workload: { [`${KEY}/auto`]: 'T' } },
  'typed-auto': { workload: { [`configmap.${KEY}/auto`]: '1' } },
  'auto-reload-all': { options: { autoReloadAll: true } },
  unreferenced: { workload: { [`${KEY}/auto`]: 'true' }, podSpec: UNREFERENCED },
  'auto-off': { workload: { [`${KEY}/auto`]: 'no' }, options: { autoReloadAll: true } },
  'no-rule': {},
};

const RELOADING: readonly Rule[] = [
  'named',
  'named-unreferenced',
  'search',
  'auto',
  'typed-auto',
  'auto-reload-all',
];

test.each(
  Object.entries(CASES) as [Rule, Given][],
)('[reloader 28] the explanation contains the rule %s with its sentence, and the consequence', (rule, given) => {
  const reloads = RELOADING.includes(rule);
  const state = '    state: the content differs from what is recorded, so a restart is due';

  expect(explained(given)).toEqual([
    'Deployment web in namespace demo',
    `  configmap/app: a change restarts ${reloads ? 'the workload' : 'nothing'}`,
    `    rule ${rule}: ${RULES[rule]}`,
    ...(reloads ? ['    container: app', state] : []),
    reloads ? 'A restart is due now, because of configmap/app.' : 'No restart is due.',
  ]);
});

test('[reloader 28] there are twelve rules, each with a different sentence', () => {
  expect(Object.keys(CASES)).toHaveLength(12);
  expect(new Set(Object.values(RULES)).size).toBe(12);
});

test('[reloader 28] the explanation contains pauses, waits and values that cannot be used', () => {
  const lines = explanation(
    factsOf({
      leftAlone: 'it is being deleted',
      waits: ['The window is closed.'],
      problems: [{ annotation: 'a', message: 'it is none' }],
      pausedAtMs: Date.parse('2030-01-01T00:00:00Z'),
      pausePeriodMs: 90_000,
    }),
  );

  expect(lines).toEqual([
    'Deployment web in namespace demo',
    '  left alone: it is being deleted',
    '  no resource concerns it, and none is named or recorded',
    '  cannot be used: a: it is none',
    '  paused by a restart since 2030-01-01T00:00:00Z: the pause ends at 2030-01-01T00:01:30Z',
    '  waits: The window is closed.',
    'No restart is due.',
  ]);
});

const NOWHERE = { namespaces: undefined };

test('the arguments of `explain` are a workload and further resources', () => {
  const request = explainRequest(
    ['explain', 'Deploy/web', 'cm/app', 'secret/login'],
    { namespace: 'demo' },
    { namespaces: ['other'] },
  );

  expect(request).toEqual({
    kind: 'deploy',
    name: 'web',
    namespace: 'demo',
    resources: [
      { type: 'CONFIGMAP', name: 'app' },
      { type: 'SECRET', name: 'login' },
    ],
  });
  expect(explainRequest(['explain', 'job/a'], {}, { namespaces: ['b'] })?.namespace).toBe('b');
  expect(explainRequest(['explain', 'job/a'], {}, NOWHERE)?.namespace).toBe('default');
  expect(explainRequest([], {}, NOWHERE)).toBeUndefined();
});

test.each([
  [['explian', 'deployment/web']],
  [['explain']],
  [['explain', 'web']],
  [['explain', 'deployment/']],
  [['explain', 'a/deployment/web']],
  [['explain', 'deployment/web', 'pod/x']],
])('the command %j is refused', (words) => {
  expect(() => explainRequest(words, {}, NOWHERE)).toThrow('expected');
});

test('--namespace without the command `explain` is refused, because the operator would watch all namespaces', () => {
  expect(() => explainRequest([], { namespace: 'a' }, NOWHERE)).toThrow(
    'did you mean --namespaces?',
  );
});
