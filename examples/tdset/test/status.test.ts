/** A status of bounded size, whatever was written into a spec. */
import { expect, test } from 'vitest';
import { planAt, readSchedule, type Window } from '../schedule.ts';
import { statusOf, statusOfProblem } from '../status.ts';

function messagesOf({ conditions = [] }: ReturnType<typeof statusOf>): readonly string[] {
  return conditions.map(({ message }) => message);
}

test('only a part of an endless time zone name is reported', () => {
  const problem = readSchedule([], 'x'.repeat(100_000));
  if (!('reason' in problem)) expect.unreachable('there is such a zone');

  const messages = messagesOf(statusOfProblem(problem));

  expect(messages[0]).toMatch(/^there is no time zone "xxx.*…$/);
  expect(Math.max(...messages.map(({ length }) => length))).toBe(1_000);
});

test('only some of thousands of overlapping windows are reported', () => {
  const windows: Window[] = Array.from({ length: 5_000 }, () => ({
    ...{ startTime: 0, endTime: 24, replica: 1 },
  }));
  const schedule = readSchedule(windows, 'UTC');
  if ('reason' in schedule) expect.unreachable(schedule.message);

  const status = statusOf(schedule, planAt(schedule, 1, 0), { deployment: undefined });

  expect(messagesOf(status).some((message) => message.startsWith('of two windows'))).toBe(true);
  expect(JSON.stringify(status).length).toBeLessThan(10_000);
});
