import { type AdmissionRequest, nameInRefusals } from '../../cluster/admission-request.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { forbidden } from '../../failures/object-failures.ts';
import { isObject } from '../../objects/metadata.ts';
import { namespaceOf } from '../request/match.ts';
import { BASELINE, RESTRICTED } from './checks.ts';

const ENFORCE = 'pod-security.kubernetes.io/enforce';

/**
 * Refuses a new Pod that violates the level in the `pod-security.kubernetes.io/enforce` label of its
 * namespace (k8s.io/pod-security-admission). The checks are those of the latest version, because
 * `enforce-version` is ignored.
 *
 * @throws ApiError 403 that lists every violation.
 */
export function enforcePodSecurity(cluster: Cluster, request: AdmissionRequest): void {
  const { operation, served, subresource, namespace, object } = request;
  if (operation !== 'CREATE' || served.storedAs !== 'pods' || subresource !== undefined) return;
  if (namespace === undefined) return;
  const labels = namespaceOf(cluster, namespace)?.metadata.labels ?? {};
  const level = labels[ENFORCE];
  if (level !== 'baseline' && level !== 'restricted') return;
  const spec = isObject(object?.spec) ? object.spec : {};
  const checks = level === 'baseline' ? BASELINE : [...BASELINE, ...RESTRICTED];
  const violations = checks.map((check) => check(spec)).filter((text) => text !== undefined);
  if (violations.length === 0) return;
  const version = labels[`${ENFORCE}-version`] ?? 'latest';
  const why = `violates PodSecurity "${level}:${version}": ${violations.join(', ')}`;
  throw forbidden(served, nameInRefusals(request), why);
}
