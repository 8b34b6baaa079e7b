import { expect, test } from 'vitest';
import { RecordingMeter } from '../../src/operator/recording-meter.ts';

test('[T-4] a snapshot of a RecordingMeter is plain data in Prometheus notation, and does not change', () => {
  const meter = new RecordingMeter();
  meter.count('calls', { verb: 'get', code: '200' });
  meter.observe('seconds', {}, 0.1);

  const before = meter.snapshot();
  meter.count('calls', { verb: 'get', code: '200' });
  meter.gauge('depth', {}, 3);
  meter.observe('seconds', {}, 0.2);

  expect(before).toEqual({ 'calls{code="200",verb="get"}': 1, seconds: [0.1] });
  expect(meter.snapshot()).toEqual({
    'calls{code="200",verb="get"}': 2,
    depth: 3,
    seconds: [0.1, 0.2],
  });
});
