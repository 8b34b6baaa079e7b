/** The ConfigMaps of these tests. */
import type { KubernetesObject } from '../../../../operator/index.ts';

/** A ConfigMap with the label `crop`. */
export function field(
  name: string,
  trees: string,
  { crop = 'apple', namespace }: { readonly crop?: string; readonly namespace?: string } = {},
): KubernetesObject {
  const metadata = { name, labels: { crop }, ...(namespace !== undefined && { namespace }) };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { trees } } as KubernetesObject;
}

/** Selects them. */
export const CROPS = `
- name: crops
  kind: ConfigMap
  labelSelector: { matchLabels: { crop: apple } }`;
