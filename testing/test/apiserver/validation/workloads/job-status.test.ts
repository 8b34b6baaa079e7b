/** The status of a Job: pkg/apis/batch/validation and pkg/registry/batch/job of Kubernetes have rules and words. */
import { expect, test } from 'vitest';
import type { StoredObject } from '../../../../src/apiserver/objects/stored-object.ts';
import { jobStatus } from '../../../../src/apiserver/validation/workloads/job-status.ts';

const STARTED = '2031-04-05T06:07:08Z';
const ENDED = '2031-04-05T06:09:08Z';

function job(status: object, spec: object = {}): StoredObject {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'grind', namespace: 'mill' },
    spec: { parallelism: 2, completions: 6, ...spec },
    status,
  };
}

function conditions(...types: readonly string[]): { conditions: readonly object[] } {
  return { conditions: types.map((type) => ({ type, status: 'True' })) };
}

const INDEXED = { completionMode: 'Indexed', backoffLimitPerIndex: 1 };
const COMPLETE = {
  ...conditions('SuccessCriteriaMet', 'Complete'),
  startTime: STARTED,
  completionTime: ENDED,
};
const RUNNING = { startTime: STARTED, active: 2, ready: 1, succeeded: 3, failed: 1 };
const NONE = 'status.conditions: Invalid value: ';

test.each<[string, object, object, object, readonly string[]]>([
  ['a Job that makes progress', RUNNING, { ...RUNNING, active: 1, succeeded: 4 }, {}, []],
  ['a Job that ends', { ...RUNNING }, { ...COMPLETE, succeeded: 6, failed: 1 }, {}, []],
  [
    'negative counts',
    {},
    { active: -3, terminating: -2 },
    {},
    [
      'status.active: Invalid value: -3: must be greater than or equal to 0',
      'status.terminating: Invalid value: -2: must be greater than or equal to 0',
    ],
  ],
  [
    'uncounted Pods that are duplicate or empty',
    {},
    { uncountedTerminatedPods: { succeeded: ['u', 'v'], failed: ['', 'v'] } },
    {},
    [
      'status.uncountedTerminatedPods.failed[0]: Invalid value: "": must not be empty',
      'status.uncountedTerminatedPods.failed[1]: Duplicate value: "v"',
    ],
  ],
  [
    'two final conditions at once',
    RUNNING,
    {
      ...COMPLETE,
      ...conditions('Complete', 'Failed', 'FailureTarget', 'SuccessCriteriaMet'),
      succeeded: 3,
      failed: 1,
    },
    {},
    [
      `${NONE}cannot set Complete=True and Failed=true conditions`,
      `${NONE}cannot set Complete=True and FailureTarget=true conditions`,
      `${NONE}cannot set SuccessCriteriaMet=True and Failed=true conditions`,
      `${NONE}cannot set SuccessCriteriaMet=True and FailureTarget=true conditions`,
    ],
  ],
  [
    'a completion before the start, with Pods left',
    {},
    {
      ...COMPLETE,
      completionTime: '2031-01-01T00:00:00Z',
      active: 4,
      terminating: 1,
      uncountedTerminatedPods: { failed: ['u'] },
    },
    {},
    [
      'status.completionTime: Invalid value: "2031-01-01T00:00:00Z": must be equal to or after `startTime`',
      'status.active: Invalid value: 4: active>0 is invalid for finished job',
      'status.uncountedTerminatedPods: Invalid value: {"failed":["u"]}: must be empty for finished job',
      'status.terminating: Invalid value: 1: terminating>0 is invalid for finished job',
    ],
  ],
  [
    'a failure without FailureTarget and startTime',
    {},
    conditions('Failed'),
    {},
    [
      `${NONE}cannot set Failed=True condition without the FailureTarget=true condition`,
      'status.startTime: Required value: startTime is required for finished job',
    ],
  ],
  [
    'a suspended Job with 0 completions, which never starts',
    {},
    { ...COMPLETE, startTime: undefined },
    { suspend: true, completions: 0 },
    [],
  ],
  [
    'indexes that cannot be parsed',
    {},
    { completedIndexes: '2,4-x', failedIndexes: '1-2-3' },
    INDEXED,
    [
      'status.completedIndexes: Invalid value: "2,4-x": error parsing completedIndexes: cannot convert string to integer for index: "x"',
      `status.failedIndexes: Invalid value: "1-2-3": error parsing failedIndexes: the fragment "1-2-3" violates the requirement that an index interval can have at most two parts separated by '-'`,
    ],
  ],
  [
    'indexes that are not in order',
    {},
    { completedIndexes: '3,1', failedIndexes: '5-4' },
    INDEXED,
    [
      'status.completedIndexes: Invalid value: "3,1": error parsing completedIndexes: non-increasing order, previous: 3, current: 1',
      'status.failedIndexes: Invalid value: "5-4": error parsing failedIndexes: non-increasing order, previous: 5, current: 4',
    ],
  ],
  [
    'an index that has failed and succeeded',
    {},
    { completedIndexes: '0,2-4', failedIndexes: '1,4-5' },
    INDEXED,
    [
      'status.failedIndexes: Invalid value: "1,4-5": failedIndexes and completedIndexes overlap at index: 4',
    ],
  ],
  [
    'indexes of a Job that is not indexed',
    {},
    { completedIndexes: '1', failedIndexes: '2' },
    {},
    [
      'status.completedIndexes: Invalid value: "1": cannot set non-empty completedIndexes when non-indexed completion mode',
      'status.failedIndexes: Invalid value: "2": cannot set non-null failedIndexes when backoffLimitPerIndex is null',
    ],
  ],
  [
    'more ready Pods than active Pods',
    {},
    { active: 1, ready: 2 },
    {},
    ['status.ready: Invalid value: 2: cannot set more ready pods than active'],
  ],
  [
    'a final condition that is removed',
    { ...COMPLETE, succeeded: 6 },
    { startTime: STARTED, succeeded: 5 },
    {},
    [
      `${NONE}cannot disable the terminal Complete=True condition`,
      'status.succeeded: Invalid value: 5: cannot decrease the succeeded counter',
      `${NONE}cannot disable the SuccessCriteriaMet=True condition`,
    ],
  ],
  [
    'an indexed Job with fewer completions',
    { succeeded: 6 },
    { succeeded: 5 },
    { ...INDEXED, parallelism: 6 },
    [],
  ],
  [
    'changed start and completion times',
    COMPLETE,
    { ...COMPLETE, startTime: '2031-04-05T06:07:09Z', completionTime: '2031-04-05T06:09:09Z' },
    {},
    [
      'status.completionTime: Invalid value: "2031-04-05T06:09:09Z": field is immutable',
      'status.startTime: Invalid value: "2031-04-05T06:07:09Z": field is immutable for unsuspended job once set',
    ],
  ],
  [
    'a resumed Job with a new startTime',
    { ...conditions('Suspended'), startTime: STARTED },
    { conditions: [{ type: 'Suspended', status: 'False' }], startTime: ENDED },
    {},
    [],
  ],
  [
    'SuccessCriteriaMet without a success policy',
    { startTime: STARTED },
    { ...conditions('Complete'), startTime: STARTED, completionTime: ENDED },
    { ...INDEXED, successPolicy: { rules: [{ succeededCount: 1 }] } },
    [
      `${NONE}cannot set Complete=True condition without the SuccessCriteriaMet=true condition`,
      `${NONE}cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True`,
    ],
  ],
  [
    'old errors that the update does not change',
    { ...conditions('Failed'), active: 1, completedIndexes: '9' },
    { ...conditions('Failed'), active: 1, completedIndexes: '9', ready: 1 },
    {},
    [],
  ],
])('a Job status gets the validation errors of Kubernetes: %s', (_what, before, now, spec, problems) => {
  const found = jobStatus(job(now, spec), job(before, spec));

  expect(found.map(({ field, message }) => `${field}: ${message}`)).toEqual(problems);
});
