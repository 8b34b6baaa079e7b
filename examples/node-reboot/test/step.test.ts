import type { KubernetesObject } from 'chancery';
import { expect, test } from 'vitest';
import {
  AFTER_REBOOT,
  BEFORE_REBOOT,
  PHASE,
  REBOOT_IN_PROGRESS,
  REBOOT_NEEDED,
  REBOOT_OK,
  REBOOT_PAUSED,
  SINCE,
} from '../protocol.ts';
import { stateOf } from '../state.ts';
import { beginStep, leftMs, nextStep } from '../step.ts';

type Keys = Readonly<Record<string, string>>;

const NOW = Date.parse('2030-01-07T12:00:00Z');
const HOUR = 3_600_000;
const settings = { beforeReboot: ['x'], afterReboot: ['y'], rebootTimeoutMs: HOUR };

function node(annotations?: Keys, labels?: Keys): KubernetesObject {
  const metadata = { name: 'n', ...(annotations && { annotations }), ...(labels && { labels }) };
  return { apiVersion: 'v1', kind: 'Node', metadata };
}

const phase = (name: string, since = '2030-01-07T12:00:00Z') => ({ [PHASE]: name, [SINCE]: since });
const needed = { [REBOOT_NEEDED]: 'true' };
const approved = { ...needed, [REBOOT_OK]: 'true' };
const before = { [BEFORE_REBOOT]: 'true' };
const after = { [AFTER_REBOOT]: 'true' };

test('FL4: a Node without labels and annotations is idle, and is not changed', () => {
  expect(stateOf(node())).toBe('Idle');
  expect(nextStep(node(), settings, NOW)).toBeUndefined();
  expect(leftMs(node(), settings, NOW)).toBeUndefined();
});

test.each<[string, Keys, Keys]>([
  ['Idle', { [REBOOT_OK]: 'true' }, {}],
  ['Idle', { [REBOOT_NEEDED]: 'True' }, {}],
  ['Paused', { ...needed, [REBOOT_PAUSED]: 'true' }, {}],
  ['Waiting', needed, {}],
  ['Waiting', needed, { [BEFORE_REBOOT]: 'false' }],
  ['BeforeReboot', needed, before],
  ['Withdrawn', {}, before],
  ['Withdrawn', { ...needed, [REBOOT_PAUSED]: 'true' }, before],
  ['Rebooting', approved, {}],
  ['Rebooting', { ...approved, [REBOOT_PAUSED]: 'true' }, {}],
  ['Rebooting', { ...needed, [REBOOT_IN_PROGRESS]: 'true' }, {}],
  [
    'Rebooted',
    { [REBOOT_OK]: 'true', [REBOOT_NEEDED]: 'false', [REBOOT_IN_PROGRESS]: 'false' },
    {},
  ],
  ['AfterReboot', { [REBOOT_OK]: 'true' }, after],
  ['AfterReboot', approved, after],
])('the state of a Node is %s with the annotations %o and the labels %o', (state, annotations, labels) => {
  expect(stateOf(node(annotations, labels))).toBe(state);
});

test('a Node that is chosen for a reboot gets a label, and the results of its earlier checks are removed', () => {
  expect(beginStep(settings, NOW)).toMatchObject({
    labels: before,
    annotations: { x: null, ...phase('BeforeReboot') },
  });
});

test('once every check before the reboot has succeeded, a single write gives the permission', () => {
  const waiting = node({ ...needed, ...phase('BeforeReboot'), x: 'yes' }, before);
  const ready = node({ ...needed, ...phase('BeforeReboot'), x: 'true' }, before);

  expect(nextStep(waiting, settings, NOW)).toBeUndefined();
  expect(nextStep(ready, settings, NOW)).toMatchObject({
    labels: { [BEFORE_REBOOT]: null },
    annotations: { x: null, [REBOOT_OK]: 'true', ...phase('Rebooting') },
  });
});

test('if a chosen Node no longer needs a reboot, or is paused, its label and its check results are removed', () => {
  const paused = { ...needed, ...phase('BeforeReboot'), [REBOOT_PAUSED]: 'true', x: 'true' };

  expect(nextStep(node(paused, before), settings, NOW)).toMatchObject({
    labels: { [BEFORE_REBOOT]: null },
    annotations: { x: null, [PHASE]: null, [SINCE]: null },
    event: { type: 'Normal', reason: 'RebootWithdrawn' },
  });
});

test('a reboot ends once every check after it has succeeded', () => {
  const keys = { [REBOOT_OK]: 'true', [REBOOT_NEEDED]: 'false', [REBOOT_IN_PROGRESS]: 'false' };
  const ready = node({ ...keys, ...phase('AfterReboot'), y: 'true' }, after);

  expect(nextStep(node({ ...keys, y: 'true' }), settings, NOW)).toMatchObject({
    labels: after,
    annotations: { y: null, ...phase('AfterReboot') },
  });
  expect(nextStep(ready, settings, NOW)).toMatchObject({
    labels: { [AFTER_REBOOT]: null },
    annotations: { y: null, [REBOOT_OK]: 'false', [PHASE]: null, [SINCE]: null },
  });
});

test('if the operator did not start a reboot, its time limit begins when the operator first sees the reboot', () => {
  const begun = node(approved);

  expect(nextStep(begun, settings, NOW)).toEqual({ annotations: phase('Rebooting') });
  expect(nextStep(node({ ...approved, ...phase('Rebooting') }), settings, NOW)).toBeUndefined();
  expect(nextStep(node({ ...approved, ...phase('Rebooting', 'soon') }), settings, NOW)).toEqual({
    annotations: phase('Rebooting'),
  });
});

test('if the recorded start of a phase is in the future, its time limit counts from now, so that a changed clock does not block other reboots', () => {
  const early = node({ ...approved, ...phase('Rebooting', '2099-01-01T00:00:00Z') });

  expect(nextStep(early, settings, NOW)).toEqual({ annotations: phase('Rebooting') });
  expect(leftMs(early, settings, NOW)).toBeUndefined();
});

test('a permission that is unused at the time limit is withdrawn, and a machine that is down is only reported', () => {
  const silent = node({ ...approved, ...phase('Rebooting') });
  const down = node({ ...approved, [REBOOT_IN_PROGRESS]: 'true', ...phase('Rebooting') });

  expect(leftMs(silent, settings, NOW + 1)).toBe(HOUR - 1);
  expect(nextStep(silent, settings, NOW + HOUR - 1)).toBeUndefined();
  expect(nextStep(silent, settings, NOW + HOUR)).toMatchObject({
    annotations: { [REBOOT_OK]: 'false', [PHASE]: 'TimedOut' },
    event: {
      type: 'Warning',
      reason: 'RebootTimeout',
      note: 'it is in phase Rebooting since 2030-01-07T12:00:00Z: its place goes to another Node',
    },
  });
  expect(nextStep(down, settings, NOW + HOUR)?.annotations).toEqual(
    phase('TimedOut', '2030-01-07T13:00:00Z'),
  );
});

test('if the checks of a Node have no result at the time limit, the Node gives way to other Nodes, and is reported once', () => {
  const asked = node({ ...needed, ...phase('BeforeReboot') }, before);
  const unanswered = node({ ...phase('TimedOut') }, after);

  expect(nextStep(asked, settings, NOW + HOUR)).toMatchObject({
    labels: { [BEFORE_REBOOT]: null },
    annotations: { x: null, [PHASE]: 'TimedOut' },
  });
  expect(nextStep(unanswered, settings, NOW + 9 * HOUR)).toBeUndefined();
  expect(leftMs(unanswered, settings, NOW + 9 * HOUR)).toBeUndefined();
});

test('a time limit of 0 means no limit', () => {
  const never = { ...settings, rebootTimeoutMs: 0 };
  const down = node({ ...approved, ...phase('Rebooting') });

  expect(leftMs(down, never, NOW)).toBeUndefined();
  expect(nextStep(down, never, NOW + 1_000 * HOUR)).toBeUndefined();
});

test('after its reboot, a Node loses the annotations of the operator, unless it timed out and still needs a reboot', () => {
  const forgotten = { annotations: { [PHASE]: null, [SINCE]: null } };

  expect(nextStep(node(phase('Rebooting')), settings, NOW)).toEqual(forgotten);
  expect(nextStep(node(phase('TimedOut')), settings, NOW)).toEqual(forgotten);
  expect(nextStep(node({ ...needed, ...phase('Rebooting') }), settings, NOW)).toEqual(forgotten);
  expect(nextStep(node({ ...needed, ...phase('TimedOut') }), settings, NOW)).toBeUndefined();
});
