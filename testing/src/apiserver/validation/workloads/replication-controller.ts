import { isObject, valueAt } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { isEmpty, notNegative } from '../fields/check.ts';
import {
  forbidden,
  invalidShown,
  notSupported,
  type Problem,
  required,
  shownMap,
} from '../fields/problem.ts';
import { podTemplate } from '../pods/pod-spec.ts';

/**
 * The problems of a ReplicationController. Its selector is a plain map, and its template is
 * optional in the Go type.
 */
export function replicationController(object: StoredObject): readonly Problem[] {
  const spec = isObject(object.spec) ? object.spec : {};
  const selector = isObject(spec.selector) ? spec.selector : {};
  return [
    ...notNegative(spec.minReadySeconds, 'spec.minReadySeconds'),
    ...(Object.keys(selector).length === 0 ? [required('spec.selector')] : []),
    ...(spec.replicas === undefined ? [required('spec.replicas')] : []),
    ...notNegative(spec.replicas, 'spec.replicas'),
    ...(isEmpty(spec.template)
      ? [required('spec.template')]
      : templateProblems(spec.template, selector)),
  ];
}

function templateProblems(
  template: unknown,
  selector: Readonly<Record<string, unknown>>,
): readonly Problem[] {
  const field = 'spec.template';
  const found = valueAt(template, ['metadata', 'labels']);
  const labels = isObject(found) ? found : {};
  const isSelected = Object.entries(selector).every(([name, value]) => labels[name] === value);
  const policy = valueAt(template, ['spec', 'restartPolicy']);
  const deadline = valueAt(template, ['spec', 'activeDeadlineSeconds']);
  const unselected = '`selector` does not match template `labels`';
  const lasting = 'activeDeadlineSeconds in ReplicationController is not Supported';
  return [
    ...(isSelected ? [] : [invalidShown(`${field}.metadata.labels`, shownMap(found), unselected)]),
    ...podTemplate(template, field),
    ...(policy === 'Always'
      ? []
      : [notSupported(`${field}.spec.restartPolicy`, policy ?? '', ['Always'])]),
    ...(deadline === undefined ? [] : [forbidden(`${field}.spec.activeDeadlineSeconds`, lasting)]),
  ];
}
