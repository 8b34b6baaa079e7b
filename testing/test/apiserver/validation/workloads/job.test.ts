import { describe, expect, test } from 'vitest';
import { scheduleProblem } from '../../../../src/apiserver/validation/workloads/cron-schedule.ts';
import { changedBy, problemsOf, type Row } from '../../support/validated.ts';

const POD = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'nginx' }] } };
const JOB = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'j', namespace: 'default', uid: 'u' },
  spec: { template: POD },
};
const CRON_JOB = {
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'j', namespace: 'default' },
  spec: { schedule: '*/5 * * * *', jobTemplate: { spec: { template: POD } } },
};
const RESTART = 'template.spec.restartPolicy';

const JOBS: readonly Row[] = [
  ['nothing wrong', {}, []],
  [
    'no restartPolicy',
    { [`spec.${RESTART}`]: undefined },
    [`spec.${RESTART}: Required value: valid values: "OnFailure", "Never"`],
  ],
  [
    'an unknown restartPolicy',
    { [`spec.${RESTART}`]: 'Maybe' },
    [
      `spec.${RESTART}: Unsupported value: "Maybe": supported values: "Always", "OnFailure", "Never"`,
      `spec.${RESTART}: Unsupported value: "Maybe": supported values: "OnFailure", "Never"`,
    ],
  ],
  [
    'a negative count',
    { 'spec.parallelism': -1 },
    ['spec.parallelism: Invalid value: -1: must be greater than or equal to 0'],
  ],
  [
    'completion mode Indexed without completions',
    { 'spec.completionMode': 'Indexed', 'spec.parallelism': 2 },
    ['spec.completions: Required value: when completion mode is Indexed'],
  ],
  [
    'an unknown completion mode',
    { 'spec.completionMode': 'Some' },
    ['spec.completionMode: Unsupported value: "Some": supported values: "NonIndexed", "Indexed"'],
  ],
  [
    'a selector without manualSelector',
    { 'spec.selector': { matchLabels: { tier: 'web' } } },
    [
      expect.stringContaining('`selector` not auto-generated'),
      expect.stringContaining('`selector` does not match template `labels`'),
    ],
  ],
  [
    "another Job's label in its template",
    { 'spec.template.metadata': { labels: { 'job-name': 'other' } } },
    [expect.stringMatching(/^spec\.template\.metadata\.labels\[job-name\]: .*: must be 'j'$/)],
  ],
  [
    'an invalid podFailurePolicy',
    {
      'spec.podFailurePolicy': {
        rules: [
          {
            action: 'Stop',
            onExitCodes: { operator: 'NotIn', values: [9, 4, 9], containerName: 'x' },
          },
          { action: 'Count' },
          { action: 'FailIndex', onPodConditions: [{ type: 'Ready', status: 'Maybe' }] },
        ],
      },
    },
    [
      'spec.podFailurePolicy.rules[0].action: Unsupported value: "Stop": supported values: "Count", "FailIndex", "FailJob", "Ignore"',
      'spec.podFailurePolicy.rules[0].onExitCodes.containerName: Invalid value: "x": must be one of the container or initContainer names in the pod template',
      'spec.podFailurePolicy.rules[0].onExitCodes.values[2]: Duplicate value: 9',
      'spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: [9,4,9]: must be ordered',
      'spec.podFailurePolicy.rules[1]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required',
      'spec.podFailurePolicy.rules[2].action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set',
      'spec.podFailurePolicy.rules[2].onPodConditions[0].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"',
    ],
  ],
  [
    'a successPolicy with indexes out of range',
    {
      'spec.completionMode': 'Indexed',
      'spec.completions': 4,
      'spec.successPolicy': {
        rules: [
          { succeededIndexes: '0,4' },
          { succeededIndexes: '2-1' },
          { succeededCount: 5 },
          {},
        ],
      },
    },
    [
      'spec.successPolicy.rules[0].succeededIndexes: Invalid value: "0,4": error parsing succeededIndexes: too large index: "4"',
      'spec.successPolicy.rules[1].succeededIndexes: Invalid value: "2-1": error parsing succeededIndexes: non-increasing order, previous: 2, current: 1',
      'spec.successPolicy.rules[2].succeededCount: Invalid value: 5: must be less than or equal to 4 (the number of specified completions)',
      'spec.successPolicy.rules[3]: Required value: at least one of succeededCount or succeededIndexes must be specified',
    ],
  ],
  [
    'a successPolicy of a Job without indexes',
    { 'spec.successPolicy': { rules: [{ succeededCount: 1 }] } },
    [
      'spec.successPolicy: Invalid value: {"Rules":[{"SucceededIndexes":null,"SucceededCount":1}]}: requires indexed completion mode',
    ],
  ],
  [
    'limits per index of a Job without indexes',
    { 'spec.maxFailedIndexes': 2 },
    [
      'spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified',
      'spec.maxFailedIndexes: Invalid value: 2: requires indexed completion mode',
    ],
  ],
  [
    'a managedBy without a domain',
    { 'spec.managedBy': 'queue' },
    [
      'spec.managedBy: Invalid value: "queue": must be a domain-prefixed path (such as "acme.io/foo")',
    ],
  ],
  [
    'a manual selector that does not match the template',
    { 'spec.manualSelector': true, 'spec.selector': { matchLabels: { a: 'b' } } },
    [
      'spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`',
    ],
  ],
];

describe('[F-12] validation of a Job', () => {
  test.each(JOBS)('a Job gets the validation errors of Kubernetes: %s', (_, changes, expected) => {
    expect(problemsOf(changedBy(JOB, changes))).toEqual(expected);
  });

  test('an indexed Job can change completions only together with parallelism', () => {
    const before = changedBy(JOB, {
      'metadata.resourceVersion': '1',
      'spec.manualSelector': true,
      'spec.selector': { matchLabels: { a: 'b' } },
      'spec.template.metadata': { labels: { a: 'b' } },
      'spec.completionMode': 'Indexed',
      'spec.completions': 2,
      'spec.parallelism': 2,
    });
    const together = changedBy(before, { 'spec.completions': 3, 'spec.parallelism': 3 });

    expect(problemsOf(together, before)).toEqual([]);
    expect(problemsOf(changedBy(before, { 'spec.completions': 3 }), before)).toEqual([
      'spec.completions: Invalid value: 3: can only be modified in tandem with spec.parallelism',
    ]);
  });

  test('the template of a Job is immutable, and the error prints the template as Go does', () => {
    const before = changedBy(JOB, {
      'metadata.resourceVersion': '1',
      'spec.manualSelector': true,
      'spec.selector': { matchLabels: { a: 'b' } },
      'spec.template.metadata': { labels: { a: 'b' } },
    });
    const after = changedBy(before, { 'spec.template.spec.containers[0].image': 'other' });

    const [problem = '', ...others] = problemsOf(after, before);

    expect(others).toEqual([]);
    expect(
      problem.startsWith(
        'spec.template: Invalid value: {"labels":{"a":"b"},"Spec":{"Volumes":null,"InitContainers":null,"Containers":[{"Name":"c","Image":"other","Command":null,',
      ),
    ).toBe(true);
    expect(problem.endsWith(': field is immutable')).toBe(true);
  });

  const RESTING = changedBy(JOB, {
    'metadata.resourceVersion': '1',
    'spec.suspend': true,
    'spec.manualSelector': true,
    'spec.selector': { matchLabels: { a: 'b' } },
    'spec.template.metadata': { labels: { a: 'b' } },
  });
  const STARTED = { 'status.startTime': '2026-01-01T00:00:00Z' };
  const SUSPENDED = { 'status.conditions': [{ type: 'Suspended', status: 'True' }] };
  const elsewhere = { 'spec.template.spec.nodeSelector': { disk: 'fast' } };
  const larger = { 'spec.template.spec.containers[0].resources': { limits: { cpu: '2' } } };
  const nearNodes = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } };

  test.each([
    ['its node selector', elsewhere],
    ['its preferred nodes', { 'spec.template.spec.affinity': nearNodes }],
    ['the resources of its containers', larger],
    ['the labels of its Pods', { 'spec.template.metadata': { labels: { a: 'b', team: 'x' } } }],
  ])('a suspended Job can change %s, both before it starts and after it was suspended', (_, change) => {
    for (const before of [RESTING, changedBy(RESTING, { ...STARTED, ...SUSPENDED })]) {
      expect(problemsOf(changedBy(before, change), before)).toEqual([]);
    }
  });

  test.each([
    ['an image of a container', { 'spec.template.spec.containers[0].image': 'other' }],
    ['its Pod affinity', { 'spec.template.spec.affinity': { podAffinity: {} } }],
  ])('a suspended Job cannot change %s', (_, change) => {
    expect(problemsOf(changedBy(RESTING, change), RESTING)).toEqual([
      expect.stringMatching(
        /^spec\.template\.spec: Invalid value: \{"Volumes":.*: field is immutable$/,
      ),
    ]);
  });

  test.each([
    ['is not suspended', { 'spec.suspend': false }],
    ['was started and has not been suspended since', STARTED],
    ['has Pods left', { ...STARTED, ...SUSPENDED, 'status.active': 1 }],
  ])('a Job that %s cannot change its template', (_, state) => {
    const before = changedBy(RESTING, state);

    for (const change of [elsewhere, larger]) {
      expect(problemsOf(changedBy(before, change), before)).toEqual([
        expect.stringMatching(/^spec\.template: .*: field is immutable$/),
      ]);
    }
  });

  test('the completions of a Job without indexes are immutable', () => {
    const before = changedBy(JOB, {
      'metadata.resourceVersion': '1',
      'spec.manualSelector': true,
      'spec.selector': { matchLabels: { a: 'b' } },
      'spec.template.metadata': { labels: { a: 'b' } },
    });
    const after = changedBy(before, { 'spec.completions': 3 });

    expect(problemsOf(after, before)).toEqual([
      'spec.completions: Invalid value: 3: field is immutable',
    ]);
  });
});

const CRON_JOBS: readonly Row[] = [
  ['nothing wrong', {}, []],
  ['no schedule', { 'spec.schedule': '' }, ['spec.schedule: Required value']],
  [
    'a schedule in plain words',
    { 'spec.schedule': 'every day' },
    ['spec.schedule: Invalid value: "every day": expected exactly 5 fields, found 2: [every day]'],
  ],
  [
    'a time zone in the schedule',
    { 'spec.schedule': 'TZ=UTC * * * * *' },
    [
      'spec.schedule: Invalid value: "TZ=UTC * * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
    ],
  ],
  [
    'an unknown time zone',
    { 'spec.timeZone': 'Mars/Base' },
    ['spec.timeZone: Invalid value: "Mars/Base": unknown time zone Mars/Base'],
  ],
  [
    'an unknown concurrencyPolicy',
    { 'spec.concurrencyPolicy': 'Wait' },
    [
      'spec.concurrencyPolicy: Unsupported value: "Wait": supported values: "Allow", "Forbid", "Replace"',
    ],
  ],
  [
    'a selector in the template',
    { 'spec.jobTemplate.spec.selector': { matchLabels: { a: 'b' } } },
    [
      'spec.jobTemplate.spec.selector: Invalid value: {"matchLabels":{"a":"b"}}: `selector` will be auto-generated',
    ],
  ],
  [
    'restartPolicy Always',
    { [`spec.jobTemplate.spec.${RESTART}`]: 'Always' },
    [`spec.jobTemplate.spec.${RESTART}: Required value: valid values: "OnFailure", "Never"`],
  ],
];

describe('[F-12] validation of a CronJob', () => {
  test.each(
    CRON_JOBS,
  )('a CronJob gets the validation errors of Kubernetes: %s', (_, changes, expected) => {
    expect(problemsOf(changedBy(CRON_JOB, changes))).toEqual(expected);
  });
});

describe('[F-12] parsing of cron schedules', () => {
  test.each([
    '* * * * *',
    '0 0 1 jan sun',
    '1-5/2,7 */3 1,15 * 1-5',
    '@hourly',
    '@every 1h30m',
    '5/10 * * * ?',
  ])('%s is a valid cron schedule', (schedule) => {
    expect(scheduleProblem(schedule)).toBeUndefined();
  });

  test.each([
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
    ['1/2/3 * * * *', 'too many slashes: 1/2/3'],
    ['x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
    ['@never', 'unrecognized descriptor: @never'],
  ])('%s is an invalid cron schedule: %s', (schedule, problem) => {
    expect(scheduleProblem(schedule)).toBe(problem);
  });
});
