import { isObject, type Json } from '../../objects/metadata.ts';
import {
  all,
  between,
  type Check,
  each,
  fields,
  firstOf,
  formed,
  isEmpty,
  itemsOf,
  must,
  needed,
  oneOf,
} from '../fields/check.ts';
import { dnsLabel, portName } from '../fields/formats.ts';
import { internalJson } from '../fields/internal-json.ts';
import {
  duplicate,
  invalidShown,
  invalidValue,
  notFoundValue,
  type Problem,
  required,
} from '../fields/problem.ts';
import { resourceRequirements } from '../fields/resources.ts';
import { environment, environmentFrom } from './environment.ts';
import { lifecycle, portNumber, probe } from './probe.ts';
import { localPath } from './volume.ts';

export const PROTOCOLS = ['SCTP', 'TCP', 'UDP'] as const;

const port: Check = fields({
  name: formed(portName),
  containerPort: (value, field) => (value ? portNumber(value, field) : [required(field)]),
  hostPort: (value, field) => (value ? portNumber(value, field) : []),
  protocol: oneOf(...PROTOCOLS),
});

/**
 * Reports duplicate names of ports. A name with an invalid format is reported elsewhere, and not as a
 * duplicate.
 */
function uniquePortNames(value: unknown, field: string): readonly Problem[] {
  const seen = new Set<unknown>();
  return itemsOf(value).flatMap(({ name }, at) => {
    if (isEmpty(name) || portName(String(name)).length > 0) return [];
    if (seen.has(name)) return [duplicate(`${field}[${at}].name`, name)];
    seen.add(name);
    return [];
  });
}

const SECURITY_CONTEXT = 'io.k8s.api.core.v1.SecurityContext';
const id = between(0, 2_147_483_647);

const securityContext: Check = fields({ runAsUser: id, runAsGroup: id }, (context, field) => {
  if (context.allowPrivilegeEscalation !== false) return [];
  const { privileged, capabilities } = context;
  const added = isObject(capabilities) && Array.isArray(capabilities.add) ? capabilities.add : [];
  const other = privileged === true ? '`privileged` to true' : '`capabilities.Add` CAP_SYS_ADMIN';
  if (privileged !== true && !added.includes('CAP_SYS_ADMIN')) return [];
  const why = `cannot set \`allowPrivilegeEscalation\` to false and ${other}`;
  return [invalidShown(field, internalJson(SECURITY_CONTEXT, context), why)];
});

/** The volumes of a Pod, keyed by name. */
export type Volumes = ReadonlyMap<string, Json>;

function mounts(volumes: Volumes): Check {
  return (value, field) => {
    const paths = new Set<unknown>();
    return itemsOf(value).flatMap(({ name, mountPath, subPath, subPathExpr }, at) => {
      const item = `${field}[${at}]`;
      const problems: Problem[] = [];
      if (isEmpty(name)) problems.push(required(`${item}.name`));
      if (!volumes.has(String(name ?? ''))) {
        problems.push(notFoundValue(`${item}.name`, name ?? ''));
      }
      if (isEmpty(mountPath)) problems.push(required(`${item}.mountPath`));
      if (paths.has(mountPath)) {
        problems.push(invalidValue(`${item}.mountPath`, mountPath, 'must be unique'));
      }
      paths.add(mountPath);
      if (!isEmpty(subPath)) problems.push(...localPath(subPath, `${field}.subPath`));
      if (!isEmpty(subPathExpr)) {
        const why = 'subPathExpr and subPath are mutually exclusive';
        if (!isEmpty(subPath)) problems.push(invalidValue(`${item}.subPathExpr`, subPathExpr, why));
        problems.push(...localPath(subPathExpr, `${field}.subPathExpr`));
      }
      return problems;
    });
  };
}

function devices(volumes: Volumes): Check {
  return (value, field) =>
    itemsOf(value).flatMap(({ name, devicePath }, at) => {
      const item = `${field}[${at}]`;
      const problems: Problem[] = isEmpty(name) ? [required(`${item}.name`)] : [];
      const volume = volumes.get(String(name ?? ''));
      if (volume === undefined) problems.push(notFoundValue(`${item}.name`, name ?? ''));
      else if (!isObject(volume.persistentVolumeClaim) && !isObject(volume.ephemeral)) {
        const why =
          'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode';
        problems.push(invalidValue(`${item}.name`, name, why));
      }
      return isEmpty(devicePath) ? [...problems, required(`${item}.devicePath`)] : problems;
    });
}

/** The rules for all kinds of containers. */
export function containerCommon(volumes: Volumes): Check {
  return fields({
    name: must(formed(dnsLabel)),
    image: needed(),
    terminationMessagePolicy: oneOf('File', 'FallbackToLogsOnError'),
    ports: all(each(port), uniquePortNames),
    env: environment,
    envFrom: environmentFrom,
    volumeMounts: mounts(volumes),
    volumeDevices: devices(volumes),
    imagePullPolicy: oneOf('Always', 'IfNotPresent', 'Never'),
    resources: resourceRequirements,
    securityContext,
  });
}

/** The additional rules for containers that run side by side: regular containers and sidecars. */
export const probes: Check = fields({
  lifecycle,
  livenessProbe: probe('once'),
  readinessProbe: probe('again'),
  startupProbe: probe('once'),
});

/** Checks the regular containers of a Pod. */
export function containers(volumes: Volumes): Check {
  const common = containerCommon(volumes);
  return firstOf(needed(), (value, field) => {
    const names = new Set<string>();
    const problems = itemsOf(value).flatMap((container, at) => {
      const item = `${field}[${at}]`;
      return [
        ...common(container, item),
        ...repeatedName(container, names, item),
        ...probes(container, item),
      ];
    });
    return [...problems, ...hostPorts(value, field)];
  });
}

/** The names of containers. A missing name counts as an empty name. */
export function namesOf(containers: unknown): Set<string> {
  return new Set(itemsOf(containers).map(nameOf));
}

function nameOf({ name }: Json): string {
  return isEmpty(name) ? '' : String(name);
}

/** Reports a name that another container already has. Otherwise adds the name to the taken names. */
export function repeatedName(
  container: Json,
  names: Set<string>,
  field: string,
): readonly Problem[] {
  const name = nameOf(container);
  if (names.has(name)) return [duplicate(`${field}.name`, name)];
  names.add(name);
  return [];
}

function hostPorts(value: unknown, field: string): readonly Problem[] {
  const taken = new Set<string>();
  return itemsOf(value).flatMap((container, at) =>
    itemsOf(container.ports).flatMap(({ protocol, hostIP, hostPort }, index) => {
      if (!hostPort) return [];
      const key = `${protocol}/${hostIP ?? ''}/${hostPort}`;
      if (taken.has(key)) return [duplicate(`${field}[${at}].ports[${index}].hostPort`, key)];
      taken.add(key);
      return [];
    }),
  );
}
