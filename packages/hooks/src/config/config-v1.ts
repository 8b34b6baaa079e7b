import type { HookConfig } from '../hook.ts';
import { admissionOf, conversionOf } from './admission.ts';
import { Fields, type Item } from './fields.ts';
import { kubernetesOf } from './kubernetes-binding.ts';
import { scheduleOf } from './schedule-binding.ts';
import { withSnapshots } from './snapshots.ts';

const FIELDS = [
  'configVersion',
  'settings',
  'onStartup',
  'schedule',
  'kubernetes',
  'kubernetesValidating',
  'kubernetesMutating',
  'kubernetesCustomResourceConversion',
];

/**
 * Parses an answer of version v1.
 *
 * @throws ConfigurationError `CONFIG` in the same cases as `parseConfig`.
 */
export function parseV1(item: Item): HookConfig {
  const fields = new Fields(item, FIELDS);
  const onStartup = fields.integer('onStartup');
  const schedules = (fields.list('schedule') ?? []).map(scheduleOf);
  const kubernetes = (fields.list('kubernetes') ?? []).map(kubernetesOf);
  const owners = kubernetes.map(({ binding }) => binding);
  const list = (name: string): readonly Item[] => fields.list(name) ?? [];
  const admission = [
    ...list('kubernetesValidating').map((each) => admissionOf('validating', each)),
    ...list('kubernetesMutating').map((each) => admissionOf('mutating', each)),
  ];
  const conversions = list('kubernetesCustomResourceConversion').map(conversionOf);
  return {
    version: 'v1',
    ...settingsOf(fields.item('settings')),
    ...(onStartup !== undefined && { onStartup }),
    schedules: schedules.map((each) => withSnapshots(each, owners)),
    kubernetes: kubernetes.map((each) => withSnapshots(each, owners)),
    admission: admission.map((each) => withSnapshots(each, owners)),
    conversions: conversions.map((each) => withSnapshots(each, owners)),
  };
}

/**
 * Reads `settings`. `executionTimeout` is an addition of this runner. An interval of 0 sets no
 * limit.
 */
function settingsOf(item: Item | undefined): Pick<HookConfig, 'rateLimit' | 'timeoutMs'> {
  if (item === undefined) return {};
  const names = ['executionMinInterval', 'executionBurst', 'executionTimeout'];
  const fields = new Fields(item, names);
  const intervalMs = fields.duration('executionMinInterval') ?? 0;
  const burst = fields.integer('executionBurst', { min: 1 }) ?? 1;
  const timeoutMs = fields.duration('executionTimeout');
  return {
    ...(intervalMs > 0 && { rateLimit: { intervalMs, burst } }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
}
