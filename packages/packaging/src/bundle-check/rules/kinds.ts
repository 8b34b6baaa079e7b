import type { BundleRule } from '../bundle-finding.ts';

const ALLOWED = [
  'ClusterRole',
  'ClusterRoleBinding',
  'ConfigMap',
  'ConsoleCLIDownload',
  'ConsoleLink',
  'ConsolePlugin',
  'ConsoleQuickStart',
  'ConsoleYAMLSample',
  'CustomResourceDefinition',
  'NetworkPolicy',
  'PodDisruptionBudget',
  'PodMonitor',
  'PriorityClass',
  'PrometheusRule',
  'Role',
  'RoleBinding',
  'Secret',
  'Service',
  'ServiceAccount',
  'ServiceMonitor',
  'VerticalPodAutoscaler',
];

/** Advice for kinds that must not be in a bundle, keyed by kind. */
const INSTEAD: Readonly<Record<string, string>> = {
  Deployment: 'put it into spec.install.spec.deployments',
  Namespace: 'leave it out: the administrator chooses the namespace',
  Lease: 'leave it out: the operator creates it',
  ValidatingWebhookConfiguration: 'describe it in spec.webhookdefinitions',
  MutatingWebhookConfiguration: 'describe it in spec.webhookdefinitions',
};

/**
 * What to use instead of an object of this kind in the bundle. Undefined for a kind that OLM
 * installs from a bundle.
 */
export function refusedKind(kind: string): string | undefined {
  return ALLOWED.includes(kind) ? undefined : (INSTEAD[kind] ?? 'apply it by other means');
}

/** A bundle may contain only objects of the kinds that OLM creates from a bundle. */
export const kinds: BundleRule = {
  id: 'kind',
  check({ objects }) {
    return objects.flatMap(({ file, kind }) => {
      const todo = refusedKind(kind);
      if (todo === undefined) return [];
      const wrong = `is ${kind}, which OLM does not install from a bundle`;
      return [{ file, path: 'kind', wrong, todo }];
    });
  },
};

/**
 * A bundle must contain no CA, because only the CA that OLM injects fits the certificate that OLM
 * creates.
 */
export const noCaBundle: BundleRule = {
  id: 'ca-bundle',
  check({ csv, objects }) {
    return [csv, ...objects]
      .filter(({ fields }) => hasCaBundle(fields))
      .map(({ file }) => ({
        file,
        path: 'caBundle',
        wrong: 'is in the bundle, but OLM creates the certificate and injects its CA',
        todo: 'leave it out',
      }));
  },
};

function hasCaBundle(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasCaBundle);
  return Object.entries(value).some(
    ([name, child]) =>
      (name === 'caBundle' && typeof child === 'string' && child !== '') ||
      // A schema may have a field of this name.
      (name !== 'openAPIV3Schema' && hasCaBundle(child)),
  );
}
