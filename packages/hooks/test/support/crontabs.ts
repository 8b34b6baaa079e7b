/** A custom resource whose versions hooks convert: `schedule` was one text, then a list, then objects. */

export const CRD_NAME = 'crontabs.stable.example.com';
export const GROUP = 'stable.example.com';

/** The definition, as a file in the folder `crds` has it. */
export function crontabs(...versions: readonly string[]) {
  const openAPIV3Schema = {
    type: 'object',
    properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: CRD_NAME },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural: 'crontabs', singular: 'crontab', kind: 'CronTab', listKind: 'CronTabList' },
      versions: versions.map((name, at) => ({
        name,
        served: true,
        storage: at === versions.length - 1,
        schema: { openAPIV3Schema },
      })),
    },
  };
}

/** An object of a version. */
export function cronTab(version: string, name: string, spec: object, metadata: object = {}) {
  return {
    apiVersion: `${GROUP}/${version}`,
    kind: 'CronTab',
    metadata: { name, namespace: 'farm', uid: `uid-of-${name}`, ...metadata },
    spec,
  };
}

/** A binding for steps such as `v1alpha1 v1beta1`. */
export function converting(...steps: readonly string[]) {
  const conversions = steps.map((step) => {
    const [fromVersion, toVersion] = step.split(' ');
    return { fromVersion, toVersion };
  });
  return { kubernetesCustomResourceConversion: [{ name: 'tabs', crdName: CRD_NAME, conversions }] };
}
