/**
 * A version of a kind that only some releases serve. These releases add a warning to each answer that
 * concerns this version.
 */
export interface Removal {
  /** The resource, written as `group/version/plural`. */
  readonly resource: string;
  readonly kind: string;
  /** The first release that served this version, and the first release that does not serve it any more. */
  readonly since: string;
  readonly removedIn: string;
  readonly deprecatedIn: string;
  /**
   * The version that replaces this one and has the same fields; undefined if the server's warning contains no
   * replacement.
   */
  readonly replacement?: string;
}

/**
 * The removed versions. Only versions with the same fields as their replacement are listed. The releases are
 * from zz_generated.prerelease-lifecycle.go in k8s.io/api v0.24.0 and v0.30.0.
 */
export const REMOVALS: readonly Removal[] = [
  {
    resource: 'batch/v1beta1/cronjobs',
    kind: 'CronJob',
    since: '1.8',
    removedIn: '1.25',
    deprecatedIn: '1.21',
    replacement: 'batch/v1',
  },
  {
    resource: 'node.k8s.io/v1beta1/runtimeclasses',
    kind: 'RuntimeClass',
    since: '1.13',
    removedIn: '1.25',
    deprecatedIn: '1.22',
  },
  {
    resource: 'policy/v1beta1/poddisruptionbudgets',
    kind: 'PodDisruptionBudget',
    since: '1.5',
    removedIn: '1.25',
    deprecatedIn: '1.21',
    replacement: 'policy/v1',
  },
  {
    resource: 'autoscaling/v2beta2/horizontalpodautoscalers',
    kind: 'HorizontalPodAutoscaler',
    since: '1.12',
    removedIn: '1.26',
    deprecatedIn: '1.23',
    replacement: 'autoscaling/v2',
  },
  {
    resource: 'storage.k8s.io/v1beta1/csistoragecapacities',
    kind: 'CSIStorageCapacity',
    since: '1.21',
    removedIn: '1.27',
    deprecatedIn: '1.24',
    replacement: 'storage.k8s.io/v1',
  },
  {
    resource: 'flowcontrol.apiserver.k8s.io/v1beta3/flowschemas',
    kind: 'FlowSchema',
    since: '1.26',
    removedIn: '1.32',
    deprecatedIn: '1.29',
    replacement: 'flowcontrol.apiserver.k8s.io/v1',
  },
  {
    resource: 'flowcontrol.apiserver.k8s.io/v1beta3/prioritylevelconfigurations',
    kind: 'PriorityLevelConfiguration',
    since: '1.26',
    removedIn: '1.32',
    deprecatedIn: '1.29',
    replacement: 'flowcontrol.apiserver.k8s.io/v1',
  },
];

/** The server's warning, with the message of k8s.io/apiserver pkg/endpoints/deprecation. */
export function removalWarning(removal: Removal): string {
  const { resource, kind, deprecatedIn, removedIn, replacement } = removal;
  const apiVersion = resource.slice(0, resource.lastIndexOf('/'));
  const instead = replacement === undefined ? '' : `; use ${replacement} ${kind}`;
  return `${apiVersion} ${kind} is deprecated in v${deprecatedIn}+, unavailable in v${removedIn}+${instead}`;
}
