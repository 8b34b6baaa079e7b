import type { AdmissionRequest } from '../cluster/admission-request.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { enforceLimitRanges } from './limits/limit-ranges.ts';
import { enforcePodSecurity } from './pod-security/enforce.ts';
import { enforcePolicies } from './policy/policies.ts';
import { enforceQuotas } from './quota/quotas.ts';

/**
 * Asks everything that may refuse a write which is complete and valid, before it is stored. The order is
 * that of kubernetes/kubernetes, pkg/kubeapiserver/options/plugins.go.
 *
 * @throws ApiError with the status and the words of the first refusal.
 */
export function admitWrite(cluster: Cluster, request: AdmissionRequest): void {
  enforceLimitRanges(cluster, request);
  enforcePodSecurity(cluster, request);
  enforcePolicies(cluster, request);
  enforceQuotas(cluster, request);
}
