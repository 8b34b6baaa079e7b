import { isObject, type Json } from '../../objects/metadata.ts';
import {
  between,
  type Check,
  each,
  fields,
  formed,
  isEmpty,
  itemsOf,
  maybeOneOf,
  must,
  needed,
  notNegative,
  oneOf,
  uniqueBy,
} from '../fields/check.ts';
import { dnsLabel, dnsSubdomain, labelKey, labelValue } from '../fields/formats.ts';
import { ipAddress } from '../fields/ip.ts';
import { annotations, labelSelector, labels } from '../fields/label-selector.ts';
import { nodeSelector, preferredNodes } from '../fields/node-selector.ts';
import {
  forbidden,
  invalidValue,
  notSupported,
  type Problem,
  required,
} from '../fields/problem.ts';
import { containers, type Volumes } from './container.ts';
import { ephemeralContainers, initContainers } from './special-containers.ts';
import { volumes } from './volume.ts';

/** Checks a `core/v1` PodSpec, in a Pod or in a template. */
export function podSpec(value: unknown, field: string): readonly Problem[] {
  const spec = isObject(value) ? value : {};
  const mounted: Volumes = new Map(itemsOf(spec.volumes).map((one) => [String(one.name), one]));
  const check = fields({
    volumes,
    containers: containers(mounted),
    initContainers: initContainers(mounted, spec.containers),
    ephemeralContainers: ephemeralContainers(mounted, [spec.containers, spec.initContainers]),
    restartPolicy: oneOf('Always', 'OnFailure', 'Never'),
    terminationGracePeriodSeconds: notNegative,
    dnsPolicy: oneOf('ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'),
    nodeSelector: labels,
    securityContext,
    affinity,
    dnsConfig: dnsConfig(spec.dnsPolicy),
    readinessGates: each(fields({ conditionType: conditionName })),
    schedulingGates,
    topologySpreadConstraints,
    serviceAccountName: formed(dnsSubdomain),
    nodeName: formed(dnsSubdomain),
    activeDeadlineSeconds: between(1, 2_147_483_647),
    hostname: formed(dnsLabel),
    subdomain: formed(dnsLabel),
    tolerations,
    hostAliases: each(fields({ ip: ipAddress, hostnames: each(formed(dnsSubdomain)) })),
    priorityClassName: formed(dnsSubdomain),
    runtimeClassName: formed(dnsSubdomain),
    preemptionPolicy: maybeOneOf('PreemptLowerPriority', 'Never'),
  });
  return check(spec, field);
}

function conditionName(value: unknown, field: string): readonly Problem[] {
  return labelKey(String(value ?? '')).map((why) => invalidValue(field, value ?? '', why));
}

/** Checks a template of Pods. As on the server, the paths of problems in its metadata omit `metadata`. */
export function podTemplate(value: unknown, field: string): readonly Problem[] {
  const template = isObject(value) ? value : {};
  const metadata = isObject(template.metadata) ? template.metadata : {};
  const spec = isObject(template.spec) ? template.spec : {};
  return [
    ...labels(metadata.labels, `${field}.labels`),
    ...annotations(metadata.annotations, `${field}.annotations`),
    ...podSpec(spec, `${field}.spec`),
    ...(isEmpty(spec.ephemeralContainers)
      ? []
      : [
          forbidden(
            `${field}.spec.ephemeralContainers`,
            'ephemeral containers not allowed in pod template',
          ),
        ]),
  ];
}

const id = between(0, 2_147_483_647);

const securityContext: Check = fields({
  fsGroup: id,
  runAsUser: id,
  runAsGroup: id,
  supplementalGroups: each(id),
  fsGroupChangePolicy: maybeOneOf('Always', 'OnRootMismatch'),
  supplementalGroupsPolicy: maybeOneOf('Merge', 'Strict'),
});

const preferred = (check: Check, name: string): Check =>
  each(fields({ weight: (weight, field) => between(1, 100)(weight ?? 0, field), [name]: check }));

const podTerm: Check = fields({
  labelSelector,
  namespaceSelector: labelSelector,
  namespaces: each(formed(dnsLabel)),
  topologyKey: must(formed(labelKey)),
});

const podTerms: Check = fields({
  requiredDuringSchedulingIgnoredDuringExecution: each(podTerm),
  preferredDuringSchedulingIgnoredDuringExecution: preferred(podTerm, 'podAffinityTerm'),
});

const affinity: Check = fields({
  nodeAffinity: fields({
    requiredDuringSchedulingIgnoredDuringExecution: nodeSelector,
    preferredDuringSchedulingIgnoredDuringExecution: preferred(preferredNodes, 'preference'),
  }),
  podAffinity: podTerms,
  podAntiAffinity: podTerms,
});

/** How many name servers and search paths a resolver can use. */
const MAX_NAME_SERVERS = 3;
const MAX_SEARCHES = 32;

function dnsConfig(policy: unknown): Check {
  const check = fields({
    nameservers: (value, field) => {
      const count = Array.isArray(value) ? value.length : 0;
      const why = `must not have more than ${MAX_NAME_SERVERS} nameservers`;
      return count > MAX_NAME_SERVERS
        ? [invalidValue(field, value, why), ...each(ipAddress)(value, field)]
        : each(ipAddress)(value, field);
    },
    searches: (value, field) => {
      const why = `must not have more than ${MAX_SEARCHES} search paths`;
      const many = Array.isArray(value) && value.length > MAX_SEARCHES;
      return many ? [invalidValue(field, value, why)] : [];
    },
    options: (value, field) =>
      itemsOf(value).flatMap(({ name }, at) =>
        needed('must not be empty')(name, `${field}[${at}]`),
      ),
  });
  return (value, field) => {
    if (policy !== 'None') return check(value, field);
    const config = isObject(value) ? value : undefined;
    if (config === undefined) {
      return [required(field, 'must provide `dnsConfig` when `dnsPolicy` is None')];
    }
    const why = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
    if (isEmpty(config.nameservers)) return [required(`${field}.nameservers`, why)];
    return check(value, field);
  };
}

const schedulingGates: Check = (value, field) => [
  ...itemsOf(value).flatMap(({ name }, at) =>
    labelKey(String(name ?? '')).map((why) => invalidValue(`${field}[${at}]`, name ?? '', why)),
  ),
  ...uniqueBy('name')(value, field).map((problem) => ({
    ...problem,
    field: problem.field.replace(/\.name$/, ''),
  })),
];

const topologySpreadConstraints: Check = each(
  fields({
    maxSkew: (value, field) =>
      Number(value ?? 0) > 0 ? [] : [invalidValue(field, value ?? 0, 'must be greater than zero')],
    topologyKey: (value, field) =>
      isEmpty(value) ? [required(field, 'can not be empty')] : formed(labelKey)(value, field),
    whenUnsatisfiable: (value, field) =>
      ['DoNotSchedule', 'ScheduleAnyway'].includes(String(value))
        ? []
        : [notSupported(field, value ?? '', ['DoNotSchedule', 'ScheduleAnyway'])],
    labelSelector,
  }),
);

function toleration(one: Json, field: string): readonly Problem[] {
  const { key, operator, value, effect, tolerationSeconds } = one;
  const problems: Problem[] = [];
  if (!isEmpty(key)) problems.push(...formed(labelKey)(key, `${field}.key`));
  if (isEmpty(key) && operator !== 'Exists') {
    const why =
      'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    problems.push(invalidValue(`${field}.operator`, operator ?? '', why));
  }
  if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
    const why = "effect must be 'NoExecute' when `tolerationSeconds` is set";
    problems.push(invalidValue(`${field}.effect`, effect ?? '', why));
  }
  problems.push(...operatorProblems(operator, value, `${field}.operator`));
  return [
    ...problems,
    ...maybeOneOf('NoSchedule', 'PreferNoSchedule', 'NoExecute')(effect, `${field}.effect`),
  ];
}

function operatorProblems(operator: unknown, value: unknown, field: string): readonly Problem[] {
  if (isEmpty(operator) || operator === 'Equal') {
    const wrong = labelValue(String(value ?? ''));
    return wrong.length === 0 ? [] : [invalidValue(field, value, wrong.join(';'))];
  }
  if (operator !== 'Exists') return [notSupported(field, operator, ['Equal', 'Exists'])];
  if (isEmpty(value)) return [];
  return [invalidValue(field, value, "value must be empty when `operator` is 'Exists'")];
}

/** Checks the tolerations of a Pod. */
export const tolerations: Check = each(fields({}, toleration));
