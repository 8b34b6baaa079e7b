import { isObject, type Json } from '../../objects/metadata.ts';
import { type Check, each, fields, formed, isEmpty, must } from '../fields/check.ts';
import { dataKey, dnsSubdomain, environmentName, labelKey } from '../fields/formats.ts';
import { invalidValue, notSupported, type Problem, required } from '../fields/problem.ts';

const FIELD_PATHS = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];

const RESOURCE_FIELDS = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];

/**
 * The Pod fields to which a `fieldPath` can refer. Environment variables and volumes allow different subsets
 * of these fields.
 */
const POD_LABELS: ReadonlySet<string> = new Set([
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.serviceAccountName',
  'spec.schedulerName',
  'status.phase',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
]);

/** Checks a reference to a field of the Pod. A reference to a label or annotation contains its key. */
export function fieldOf(paths: readonly string[]): Check {
  return fields({}, ({ apiVersion = 'v1', fieldPath }, field) => {
    if (isEmpty(fieldPath)) return [required(`${field}.fieldPath`)];
    const sent = String(fieldPath);
    const [, map, key = ''] = /^(.+?)\['(.*)'\]$/s.exec(sent) ?? [];
    const failed = (why: string): readonly Problem[] => [
      invalidValue(`${field}.fieldPath`, sent, `error converting fieldPath: ${why}`),
    ];
    const unconverted = (why: string): readonly Problem[] => failed(`field label ${why}: ${sent}`);
    if (apiVersion !== 'v1') return failed(`unsupported pod version: ${apiVersion}`);
    if (map === undefined) {
      const path = sent === 'spec.host' ? 'spec.nodeName' : sent;
      if (!POD_LABELS.has(path)) return unconverted('not supported');
      return paths.includes(path) ? [] : [notSupported(`${field}.fieldPath`, path, paths)];
    }
    if (map !== 'metadata.annotations' && map !== 'metadata.labels') {
      return unconverted('does not support subscript');
    }
    const text = map === 'metadata.annotations' ? key.toLowerCase() : key;
    return labelKey(text).map((why) => invalidValue(field, text, why));
  });
}

export const resourceField: Check = fields({}, ({ resource }, field) => {
  if (isEmpty(resource)) return [required(`${field}.resource`)];
  const name = String(resource);
  const huge = /^(limits|requests)\.hugepages-/.test(name);
  if (huge || RESOURCE_FIELDS.includes(name)) return [];
  return [notSupported(`${field}.resource`, name, RESOURCE_FIELDS)];
});

const keyReference: Check = fields({
  name: (value, field) =>
    dnsSubdomain(String(value ?? '')).map((why) => invalidValue(field, value ?? '', why)),
  key: must(formed(dataKey)),
});

const SOURCES: Readonly<Record<string, Check>> = {
  fieldRef: fieldOf(FIELD_PATHS),
  resourceFieldRef: resourceField,
  configMapKeyRef: keyReference,
  secretKeyRef: keyReference,
  fileKeyRef: () => [],
};

const NO_SOURCE =
  'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`';
const TWO_SOURCES = 'may not have more than one field specified at a time';

function valueFrom({ valueFrom: from, value }: Json, field: string): readonly Problem[] {
  if (!isObject(from)) return [];
  const at = `${field}.valueFrom`;
  const set = Object.entries(SOURCES).filter(([name]) => isObject(from[name]));
  const problems = set.flatMap(([name, check]) => check(from[name], `${at}.${name}`));
  if (set.length === 0) return [...problems, invalidValue(at, '', NO_SOURCE)];
  if (!isEmpty(value)) {
    return [...problems, invalidValue(at, '', 'may not be specified when `value` is not empty')];
  }
  return set.length === 1 ? problems : [...problems, invalidValue(at, '', TWO_SOURCES)];
}

/** Checks the environment variables of a container. */
export const environment: Check = each(fields({ name: must(formed(environmentName)) }, valueFrom));

const named: Check = fields({ name: must(formed(dnsSubdomain)) });

/**
 * Checks `envFrom`: ConfigMaps and Secrets whose keys all become variables. Like the server, reports a
 * problem of an entry at the path of the list.
 */
export const environmentFrom: Check = (value, field) => {
  const check = each(
    fields(
      { prefix: formed(environmentName), configMapRef: named, secretRef: named },
      ({ configMapRef, secretRef }) => {
        const count = Number(isObject(configMapRef)) + Number(isObject(secretRef));
        if (count === 1) return [];
        const why =
          count === 0 ? 'must specify one of: `configMapRef` or `secretRef`' : TWO_SOURCES;
        return [invalidValue(field, '', why)];
      },
    ),
  );
  return check(value, field);
};
