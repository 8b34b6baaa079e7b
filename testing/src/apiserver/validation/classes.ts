import { isObject, type Json } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import { type Check, fields, formed, isEmpty, must } from './fields/check.ts';
import { domainPath } from './fields/domain-path.ts';
import { dnsLabel, dnsSubdomain, pathSegment } from './fields/formats.ts';
import { labels } from './fields/label-selector.ts';
import { forbidden, notSupported, type Problem, required, tooLong } from './fields/problem.ts';
import { resourceRequirements } from './fields/resources.ts';

const MAX_CONTROLLER_BYTES = 250;

/** The problems of an IngressClass: its controller and its parameters. */
export function ingressClass({ spec }: StoredObject): readonly Problem[] {
  const { controller = '', parameters } = isObject(spec) ? spec : {};
  const field = 'spec.controller';
  const isLong = Buffer.byteLength(String(controller)) > MAX_CONTROLLER_BYTES;
  return [
    ...(isLong ? [tooLong(field, MAX_CONTROLLER_BYTES)] : []),
    ...domainPath(controller, field),
    ...classParameters(parameters, 'spec.parameters'),
  ];
}

const classParameters: Check = fields(
  {
    apiGroup: (value, field) => (value === '' ? [] : formed(dnsSubdomain)(value, field)),
    kind: must(formed(pathSegment)),
    name: must(formed(pathSegment)),
  },
  ({ scope, namespace }: Json, field) => {
    if (isEmpty(scope)) return [required(`${field}.scope`)];
    const scopes = ['Cluster', 'Namespace'];
    if (!scopes.includes(String(scope))) return [notSupported(`${field}.scope`, scope, scopes)];
    const at = `${field}.namespace`;
    if (scope === 'Cluster') {
      const why = "`parameters.scope` is set to 'Cluster'";
      return isEmpty(namespace) ? [] : [forbidden(at, why)];
    }
    if (!isEmpty(namespace)) return formed(dnsLabel)(namespace, at);
    return [required(at, "`parameters.scope` is set to 'Namespace'")];
  },
);

/** The problems of a RuntimeClass: its handler, overhead and scheduling. */
export function runtimeClass({ handler, overhead, scheduling }: StoredObject): readonly Problem[] {
  const { podFixed } = isObject(overhead) ? overhead : {};
  const { nodeSelector } = isObject(scheduling) ? scheduling : {};
  return [
    ...(isEmpty(handler) ? [required('handler')] : formed(dnsLabel)(handler, 'handler')),
    ...resourceRequirements({ limits: podFixed }, 'overhead'),
    ...labels(nodeSelector, 'scheduling.nodeSelector'),
  ];
}
