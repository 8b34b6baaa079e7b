import { isBuiltInGroup, type Resource, resourceName } from './resource.ts';

/** The built-in resources of Kubernetes whose status is a subresource, in the served versions. */
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
 * True if the status of a built-in resource of Kubernetes is a subresource. Makes no request. Undefined for a
 * resource of another group, because only the resource's definition shows this.
 */
export function builtInHasStatus(resource: Resource): boolean | undefined {
  return isBuiltInGroup(resource) ? WITH_STATUS.has(resourceName(resource)) : undefined;
}
