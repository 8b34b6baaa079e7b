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
    'Pods that restart always, by default',
    { [`spec.${RESTART}`]: undefined },
    [`spec.${RESTART}: Required value: valid values: "OnFailure", "Never"`],
  ],
  [
    'Pods that restart somehow',
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
    'indexes without a number of them',
    { 'spec.completionMode': 'Indexed', 'spec.parallelism': 2 },
    ['spec.completions: Required value: when completion mode is Indexed'],
  ],
  [
    'a mode that there is not',
    { 'spec.completionMode': 'Some' },
    ['spec.completionMode: Unsupported value: "Some": supported values: "NonIndexed", "Indexed"'],
  ],
  [
    'a selector of its own that selects others',
    { 'spec.manualSelector': true, 'spec.selector': { matchLabels: { a: 'b' } } },
    [
      'spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`',
    ],
  ],
];

describe('[F-12] Job', () => {
  test.each(JOBS)('%s', (_, changes, expected) => {
    expect(problemsOf(changedBy(JOB, changes))).toEqual(expected);
  });

  test('its template stays as it is, and is shown as Go has it', () => {
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
    ['where its Pods run', elsewhere],
    ['which nodes it prefers', { 'spec.template.spec.affinity': nearNodes }],
    ['how much its containers ask for', larger],
    ['the labels of its Pods', { 'spec.template.metadata': { labels: { a: 'b', team: 'x' } } }],
  ])('one at rest may change %s, before it starts and after it was suspended', (_, change) => {
    for (const before of [RESTING, changedBy(RESTING, { ...STARTED, ...SUSPENDED })]) {
      expect(problemsOf(changedBy(before, change), before)).toEqual([]);
    }
  });

  test.each([
    ['an image', { 'spec.template.spec.containers[0].image': 'other' }],
    ['beside which Pods it runs', { 'spec.template.spec.affinity': { podAffinity: {} } }],
  ])('one at rest may not change %s', (_, change) => {
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
  ])('one that %s changes nothing of its template', (_, state) => {
    const before = changedBy(RESTING, state);

    for (const change of [elsewhere, larger]) {
      expect(problemsOf(changedBy(before, change), before)).toEqual([
        expect.stringMatching(/^spec\.template: .*: field is immutable$/),
      ]);
    }
  });

  test('completions stay as they are', () => {
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
    'a schedule of words',
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
    'a time zone of nowhere',
    { 'spec.timeZone': 'Mars/Base' },
    ['spec.timeZone: Invalid value: "Mars/Base": unknown time zone Mars/Base'],
  ],
  [
    'an unknown policy',
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
    'Pods that restart always',
    { [`spec.jobTemplate.spec.${RESTART}`]: 'Always' },
    [`spec.jobTemplate.spec.${RESTART}: Required value: valid values: "OnFailure", "Never"`],
  ],
];

describe('[F-12] CronJob', () => {
  test.each(CRON_JOBS)('%s', (_, changes, expected) => {
    expect(problemsOf(changedBy(CRON_JOB, changes))).toEqual(expected);
  });
});

describe('[F-12] schedules', () => {
  test.each([
    '* * * * *',
    '0 0 1 jan sun',
    '1-5/2,7 */3 1,15 * 1-5',
    '@hourly',
    '@every 1h30m',
    '5/10 * * * ?',
  ])('%s is one', (schedule) => {
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
  ])('%s is none: %s', (schedule, problem) => {
    expect(scheduleProblem(schedule)).toBe(problem);
  });
});
