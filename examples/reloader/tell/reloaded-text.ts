import type { Change } from '../record/plan-types.ts';
import type { Regarding } from './observer.ts';

/**
 * One restart because of one resource, as Events and alerts tell it: name, type and namespace of the resource, then
 * name, kind and namespace of the workload.
 *
 * @param mark - put before and after each of the six values: `'` in Events, `*` in alerts.
 */
export function reloadedText(
  { type, name }: Pick<Change, 'type' | 'name'>,
  workload: Pick<Regarding, 'kind' | 'namespace' | 'name'>,
  mark: string,
): string {
  const marked = (value: string): string => `${mark}${value}${mark}`;
  const resource = `${marked(name)} of type ${marked(type)} in namespace ${marked(workload.namespace)}`;
  const target = `${marked(workload.name)} of type ${marked(workload.kind)} in namespace ${marked(workload.namespace)}`;
  return `Changes of ${resource} restart ${target}`;
}
