import type { Bundle } from '../bundle.ts';
import type { BundleCheckOptions, BundleProblem, BundleRule } from '../bundle-finding.ts';
import { listAt, textAt } from '../fields.ts';
import { grantedRules } from '../install.ts';
import { compareVersions, kubernetesVersion, type SemanticVersion } from '../semantic-version.ts';

/**
 * The removed APIs, each as an `apiVersion` with its kinds. They are keyed by the first version of
 * Kubernetes that no longer serves them.
 */
const REMOVED: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  '1.22': {
    'apiextensions.k8s.io/v1beta1': ['CustomResourceDefinition'],
    'scheduling.k8s.io/v1beta1': ['PriorityClass'],
    'rbac.authorization.k8s.io/v1beta1': [
      'Role',
      'ClusterRole',
      'RoleBinding',
      'ClusterRoleBinding',
    ],
    'apiregistration.k8s.io/v1beta1': ['APIService'],
    'authentication.k8s.io/v1beta1': ['TokenReview'],
    'authorization.k8s.io/v1beta1': [
      'LocalSubjectAccessReview',
      'SelfSubjectAccessReview',
      'SubjectAccessReview',
    ],
    'admissionregistration.k8s.io/v1beta1': [
      'MutatingWebhookConfiguration',
      'ValidatingWebhookConfiguration',
    ],
    'coordination.k8s.io/v1beta1': ['Lease'],
    'extensions/v1beta1': ['Ingress'],
    'networking.k8s.io/v1beta1': ['Ingress', 'IngressClass'],
    'storage.k8s.io/v1beta1': ['CSIDriver', 'CSINode', 'StorageClass', 'VolumeAttachment'],
    'certificates.k8s.io/v1beta1': ['CertificateSigningRequest'],
  },
  '1.25': {
    'batch/v1beta1': ['CronJob'],
    'discovery.k8s.io/v1beta1': ['EndpointSlice'],
    'events.k8s.io/v1beta1': ['Event'],
    'autoscaling/v2beta1': ['HorizontalPodAutoscaler'],
    'policy/v1beta1': ['PodDisruptionBudget', 'PodSecurityPolicy'],
    'node.k8s.io/v1beta1': ['RuntimeClass'],
  },
  '1.26': { 'autoscaling/v2beta2': ['HorizontalPodAutoscaler'] },
};

/** Reports APIs that Kubernetes no longer serves. */
export const removedApis: BundleRule = {
  id: 'removed-api',
  check(bundle, options) {
    const oldest = oldestKubernetes(bundle, options)?.version;
    return [
      ...uses(bundle).flatMap((use) => useProblems(use, oldest)),
      ...grantedRules(bundle).flatMap(({ path, apiGroups, resources }) =>
        apiGroups.includes('policy') && resources.includes('podsecuritypolicies')
          ? [
              {
                level: 'warning' as const,
                path,
                wrong: 'names PodSecurityPolicies, which Kubernetes has no more since 1.25',
                todo: 'leave them out',
              },
            ]
          : [],
      ),
    ];
  },
};

interface Use {
  readonly apiVersion: string;
  readonly kind: string;
  readonly file?: string;
  readonly path: string;
}

/**
 * The objects of the bundle, and the objects that its APIs create according to their descriptions.
 */
function uses({ csv, objects }: Bundle): readonly Use[] {
  const described = ['owned', 'required'].flatMap((field) =>
    listAt(csv.fields, 'spec', 'customresourcedefinitions', field).flatMap((api, at) =>
      listAt(api, 'resources').map((resource, number) => ({
        apiVersion: textAt(resource, 'version'),
        kind: textAt(resource, 'kind'),
        path: `spec.customresourcedefinitions.${field}[${at}].resources[${number}]`,
      })),
    ),
  );
  return [
    ...objects.map(({ apiVersion, kind, file }) => ({
      apiVersion,
      kind,
      file,
      path: 'apiVersion',
    })),
    ...described,
  ];
}

function useProblems(
  { apiVersion, kind, ...place }: Use,
  oldest: SemanticVersion | undefined,
): readonly BundleProblem[] {
  return Object.entries(REMOVED).flatMap(([removedIn, apis]) => {
    if (!Object.hasOwn(apis, apiVersion) || !apis[apiVersion]?.includes(kind)) return [];
    const limit = kubernetesVersion(removedIn);
    const isReached =
      oldest !== undefined && limit !== undefined && compareVersions(oldest, limit) >= 0;
    return [
      {
        ...place,
        level: isReached ? 'error' : 'warning',
        wrong: `uses ${kind} of ${apiVersion}, which Kubernetes ${removedIn} serves no more`,
        todo: 'use a newer version of the API',
      },
    ];
  });
}

/** The Kubernetes version for which removed APIs are errors. */
interface OldestKubernetes {
  readonly version: SemanticVersion;
  /** The version as it was written. */
  readonly text: string;
  readonly from: 'k8sVersion' | 'spec.minKubeVersion';
}

/** The higher of the versions `k8sVersion` and `spec.minKubeVersion`. Undefined if neither is set. */
export function oldestKubernetes(
  { csv }: Bundle,
  { k8sVersion = '' }: BundleCheckOptions,
): OldestKubernetes | undefined {
  const texts = {
    k8sVersion,
    'spec.minKubeVersion': textAt(csv.fields, 'spec', 'minKubeVersion'),
  } as const;
  const [highest] = (['k8sVersion', 'spec.minKubeVersion'] as const)
    .flatMap((from) => {
      const version = kubernetesVersion(texts[from]);
      return version === undefined ? [] : [{ version, text: texts[from], from }];
    })
    .sort((a, b) => compareVersions(b.version, a.version));
  return highest;
}
