import { expect, test } from 'vitest';
import { METACONTROLLER_METRICS } from '../../src/supervisor/metric-names.ts';
import { SUPERVISOR_METRICS } from '../../src/supervisor/supervisor-metrics.ts';

test('every metric of the supervisor is collected', () => {
  const collected = SUPERVISOR_METRICS.map(({ name }) => name);

  expect(collected.toSorted()).toEqual(Object.values(METACONTROLLER_METRICS).toSorted());
});
