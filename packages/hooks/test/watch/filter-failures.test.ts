import { FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { configMaps } from '../../../../operator/model/kubernetes/resources.ts';
import { objectKey } from '../../../../operator/model/object.ts';
import { FilterFailures, type FilterReport } from '../../src/watch/filter-failures.ts';
import type { FilterFailure } from '../../src/watch/filtered-source.ts';

const FAILURE: FilterFailure = {
  resource: configMaps,
  key: objectKey('farm', 'north'),
  filter: '.data.trees',
  failure: 'error',
};

test('failures that no listener received are passed to the next listener, and a closed listener gets no failures', () => {
  const failures = new FilterFailures();
  const clock = new FakeClock();
  const told: [listener: string, count: number][] = [];
  const listener = (name: string) => (report: FilterReport) => {
    told.push([name, report.count]);
  };

  failures.add(FAILURE);
  failures.listen(clock, listener('first'))[Symbol.dispose]();
  clock.advance(60_000);
  failures.add(FAILURE);
  failures.add(FAILURE);
  failures.listen(clock, listener('second'));

  expect(told).toEqual([
    ['first', 1],
    ['second', 2],
  ]);
});
