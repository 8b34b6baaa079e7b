import { isBuiltInGroup, type Resource, resourceName } from './resource.ts';

/**
 * The built-in resources of Kubernetes that have the subresource `status` in the versions that API servers
 * serve.
 */
const WITH_STATUS: ReadonlySet<string> = new Set([
  'apiservices.apiregistration.k8s.io',
  'certificatesigningrequests.certificates.k8s.io',
  'cronjobs.batch',
  'customresourcedefinitions.apiextensions.k8s.io',
  'daemonsets.apps',
  'deployments.apps',
  'flowschemas.flowcontrol.apiserver.k8s.io',
  'horizontalpodautoscalers.autoscaling',
  'ingresses.networking.k8s.io',
  'jobs.batch',
  'namespaces',
  'nodes',
  'persistentvolumeclaims',
  'persistentvolumes',
  'poddisruptionbudgets.policy',
  'pods',
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io',
  'replicasets.apps',
  'replicationcontrollers',
  'resourceclaims.resource.k8s.io',
  'resourcequotas',
  'servicecidrs.networking.k8s.io',
  'services',
  'statefulsets.apps',
  'validatingadmissionpolicies.admissionregistration.k8s.io',
  'volumeattachments.storage.k8s.io',
]);

/**
 * True if a built-in resource of Kubernetes has the subresource `status`. The function makes no request. The
 * result is undefined for a resource that is not built in, because only its definition can tell.
 */
export function builtInHasStatus(resource: Resource): boolean | undefined {
  return isBuiltInGroup(resource) ? WITH_STATUS.has(resourceName(resource)) : undefined;
}
