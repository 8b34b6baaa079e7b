import { expect, test } from 'vitest';
import { HOOK_METRICS } from '../../operator/hooks/engine/metric-names.ts';
import { runnerMetrics } from '../../operator/hooks/metrics/runner-metrics.ts';

test('every metric of the runner is described, and begins with the prefix that was asked for', () => {
  const described = runnerMetrics('farm_');

  expect(described.map(({ name }) => name).sort()).toEqual(Object.values(HOOK_METRICS).sort());
  expect(described.every(({ shownAs = '' }) => shownAs.startsWith('farm_'))).toBe(true);
});
