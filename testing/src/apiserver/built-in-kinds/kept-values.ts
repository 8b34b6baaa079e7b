import { isDeepStrictEqual } from 'node:util';
import { withSources } from '../defaults/storage.ts';
import { TEMPLATE_GENERATION } from '../objects/canonical.ts';
import { isObject, type Json, valueAt, withFields, withMetadata } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import { changedRequest } from './certificate-request.ts';

/**
 * Restores values of the previous state in a changed object. These values are the data sources of a claim,
 * the template count of a DaemonSet, and the request fields of a certificate request. A Service also keeps
 * addresses and ports that a write omits, if the new type of the Service uses them.
 */
export function withKeptValues(
  object: StoredObject,
  previous: StoredObject,
  nowMs: number,
): StoredObject {
  if (object.kind === 'CertificateSigningRequest') return changedRequest(object, previous, nowMs);
  if (object.kind === 'DaemonSet') return withCountedTemplate(object, previous);
  if (object.kind === 'PersistentVolumeClaim') return withSources(object, previous);
  if (object.kind !== 'Service') return object;
  const [spec, before] = [object.spec, previous.spec];
  if (!isObject(spec) || !isObject(before)) return object;
  return withFields(object, { spec: keptOfService(spec, before) });
}

const hasAddress = ({ type }: Json): boolean => type !== 'ExternalName';
const hasPorts = ({ type }: Json): boolean => type === 'NodePort' || type === 'LoadBalancer';
const isReachable = (spec: Json): boolean =>
  hasPorts(spec) || (spec.type === 'ClusterIP' && !isUnset(spec.externalIPs));

function keptOfService(spec: Json, before: Json): Json {
  const kept: Record<string, unknown> = { ...spec };
  if (hasAddress(spec) && hasAddress(before)) {
    for (const field of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy']) {
      kept[field] = isUnset(spec[field]) ? before[field] : spec[field];
    }
    Object.assign(kept, oneAddress(kept, before));
  }
  if (!hasAddress(spec))
    dropSame(kept, before, ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy']);
  if (!hasPorts(spec)) dropSame(kept, before, ['healthCheckNodePort']);
  if (isReachable(before) && !isReachable(spec)) dropSame(kept, before, ['externalTrafficPolicy']);
  if (spec.type !== 'LoadBalancer') {
    dropSame(kept, before, ['allocateLoadBalancerNodePorts', 'loadBalancerClass']);
  }
  kept.ports = hasPorts(before) ? keptPorts(spec, before) : spec.ports;
  for (const [field, value] of Object.entries(kept)) if (value === undefined) delete kept[field];
  return kept;
}

function isUnset(value: unknown): boolean {
  return value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}

/**
 * Two fields contain the address of a Service: `clusterIP` and the newer field `clusterIPs`. If a client
 * changes only the older field, the newer field is changed, too.
 */
function oneAddress(spec: Json, before: Json): Json {
  const [first] = Array.isArray(spec.clusterIPs) ? spec.clusterIPs : [];
  if (spec.clusterIP === first || spec.clusterIP === before.clusterIP) return {};
  return isDeepStrictEqual(spec.clusterIPs, before.clusterIPs)
    ? { clusterIPs: [spec.clusterIP] }
    : {};
}

/** Removes the fields of a Service's previous type, unless this write changes them. */
function dropSame(kept: Record<string, unknown>, before: Json, fields: readonly string[]): void {
  for (const field of fields) {
    if (isDeepStrictEqual(kept[field], before[field])) delete kept[field];
  }
}

function keptPorts(spec: Json, before: Json): unknown {
  if (!Array.isArray(spec.ports)) return spec.ports;
  const old = Array.isArray(before.ports) ? before.ports.filter(isObject) : [];
  return spec.ports.map((port: unknown) => {
    if (!isObject(port)) return port;
    const same = old.find((one) => one.port === port.port && one.protocol === port.protocol);
    if (hasPorts(spec))
      return port.nodePort || !same?.nodePort ? port : { ...port, nodePort: same.nodePort };
    if (port.nodePort === undefined || port.nodePort !== same?.nodePort) return port;
    const { nodePort: _, ...rest } = port;
    return rest;
  });
}

/**
 * Sets the annotation with the template count of a DaemonSet to the value from which `metadata.managedFields`
 * is computed. In a new DaemonSet this is 1, and the creator owns the annotation. If a later write omits the
 * annotation, the value is 0, and the writing manager owns it. `withCountedTemplate` then sets the real
 * count.
 */
export function withSentCount(
  object: StoredObject,
  previous: StoredObject | undefined,
): StoredObject {
  if (object.kind !== 'DaemonSet') return object;
  if (previous === undefined) return withTemplateGeneration(object, 1);
  const hasCount = object.metadata.annotations?.[TEMPLATE_GENERATION] !== undefined;
  return hasCount ? object : withTemplateGeneration(object, 0);
}

/**
 * Sets the annotation that counts the changes of a DaemonSet's template. The server ignores values written by
 * clients. The owner of the annotation stays the same when the count changes.
 */
function withCountedTemplate(object: StoredObject, previous: StoredObject): StoredObject {
  const path = ['spec', 'template'];
  const counted = Number(previous.metadata.annotations?.[TEMPLATE_GENERATION] ?? 1);
  const isSame = isDeepStrictEqual(valueAt(object, path), valueAt(previous, path));
  return withTemplateGeneration(object, isSame ? counted : counted + 1);
}

function withTemplateGeneration(object: StoredObject, count: number): StoredObject {
  const annotations = { ...object.metadata.annotations, [TEMPLATE_GENERATION]: String(count) };
  return withMetadata(object, { annotations });
}
