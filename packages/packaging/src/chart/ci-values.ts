import type { ManifestFile, OperatorModel } from 'chancery/internal';
import { formatYaml } from 'chancery/low-level';

/**
 * The files of values with which chart-testing installs the chart. Tests compare the rendered
 * objects with kustomize.
 */
export function ciValues(comment: string, { options }: OperatorModel): readonly ManifestFile[] {
  const isOpen = options.watched === undefined;
  const file = (name: string, values: object): ManifestFile => ({
    path: `ci/${name}-values.yaml`,
    text: comment + formatYaml(values),
  });
  const hardened = {
    transport: 'unixSocket',
    nativeSidecar: true,
    // An address that is reserved for documentation. The real address of the API server depends on
    // the cluster.
    networkPolicy: { enabled: true, apiServer: ['192.0.2.1/32'] },
  };
  const observed = {
    ...(options.leaderElection && { highAvailability: true }),
    prometheus: { enabled: true, rules: true, dashboard: true },
    debug: true,
  };
  return [
    ...(isOpen ? [file('namespaced', { rbac: { namespaced: true } })] : []),
    file('hardened', hardened),
    file('observed', observed),
  ];
}
