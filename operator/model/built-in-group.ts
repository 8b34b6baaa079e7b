import type { Resource } from './resource.ts';

/**
 * Groups that kube-apiserver itself serves, and whose names have a dot: of those without one all are
 * its own. From `pkg/api/legacyscheme` and `pkg/controlplane` of Kubernetes 1.36, with the groups
 * that it has retired since 1.20.
 */
const BUILT_IN_GROUPS: ReadonlySet<string> = new Set([
  'admission.k8s.io',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'auditregistration.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'imagepolicy.k8s.io',
  'internal.apiserver.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'rbac.authorization.k8s.io',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'settings.k8s.io',
  'storage.k8s.io',
  'storagemigration.k8s.io',
]);

/** True for a group of Kubernetes itself, which no CustomResourceDefinition makes or takes away. */
export function isBuiltInGroup({ group }: Pick<Resource, 'group'>): boolean {
  return !group.includes('.') || BUILT_IN_GROUPS.has(group);
}
