import type { BundleRule } from '../bundle-finding.ts';
import { listAt, textAt } from '../fields.ts';
import { deploymentsIn } from '../install.ts';

/**
 * Checks that the bundle contains no ServiceAccount of its Deployments. OLM creates these
 * ServiceAccounts, and refuses a bundle that contains one of them.
 */
export const serviceAccounts: BundleRule = {
  id: 'service-account',
  check(bundle) {
    const used = new Set(
      deploymentsIn(bundle).map(
        (deployment) =>
          textAt(deployment, 'spec', 'template', 'spec', 'serviceAccountName') || 'default',
      ),
    );
    return bundle.objects
      .filter(
        ({ apiVersion, kind, name }) =>
          apiVersion === 'v1' && kind === 'ServiceAccount' && used.has(name),
      )
      .map(({ file, name }) => ({
        file,
        path: 'metadata.name',
        wrong: `is ${name}, the ServiceAccount of a Deployment, which OLM creates itself`,
        todo: 'leave the file out',
      }));
  },
};

/** Reports permissions for a ServiceAccount that no Deployment uses. */
export const grantedAccounts: BundleRule = {
  id: 'granted-account',
  check(bundle) {
    const used = new Set(
      deploymentsIn(bundle).map((each) =>
        textAt(each, 'spec', 'template', 'spec', 'serviceAccountName'),
      ),
    );
    return (['permissions', 'clusterPermissions'] as const).flatMap((field) =>
      listAt(bundle.csv.fields, 'spec', 'install', 'spec', field).flatMap((granted, at) => {
        const name = textAt(granted, 'serviceAccountName');
        if (used.has(name)) return [];
        return [
          {
            level: 'warning' as const,
            path: `spec.install.spec.${field}[${at}].serviceAccountName`,
            wrong: `is ${JSON.stringify(name)}, and no Deployment of the bundle runs as it`,
            todo: 'name the ServiceAccount of a Deployment, or leave the rights out',
          },
        ];
      }),
    );
  },
};
