import type { KubernetesObject } from 'chancery';

/** The ConfigMap, one in each namespace, that remembers what was last acted upon. */
export const STATE_NAME = 'config-restart-state';

/** Says what a ConfigMap is to this operator. */
export const KIND_LABEL = 'chancery.dev/kind';
export const WATCHER_KIND = 'ConfigWatcher';
const STATE_KIND = 'ConfigRestartState';
const STATUS_KIND = 'ConfigWatcherStatus';

const MANAGED = { 'app.kubernetes.io/managed-by': 'chancery' };
export const STATE_LABELS: Readonly<Record<string, string>> = {
  ...MANAGED,
  [KIND_LABEL]: STATE_KIND,
};
export const STATUS_LABELS: Readonly<Record<string, string>> = {
  ...MANAGED,
  [KIND_LABEL]: STATUS_KIND,
};

/** True for a status ConfigMap that this operator wrote. */
export function isStatusConfigMap(object: KubernetesObject): boolean {
  return object.metadata.labels?.[KIND_LABEL] === STATUS_KIND;
}

/** True for what this operator writes itself: acting on it would be acting on our own acts. */
export function isOwnConfigMap(name: string, object: KubernetesObject | undefined): boolean {
  return name === STATE_NAME || (object !== undefined && isStatusConfigMap(object));
}
