import { type Bundle, DEPENDENCIES_FILE, PROPERTIES_FILE } from '../bundle.ts';
import type { BundleProblem, BundleRule } from '../bundle-finding.ts';
import { listAt, textAt } from '../fields.ts';
import { supportedModes } from './install-modes.ts';

/**
 * Content that operator-controller (OLM v1) does not install, or installs differently from OLM v0.
 */
export const olmV1: BundleRule = {
  id: 'olm-v1',
  check(bundle, { olmV0Only = false }) {
    if (olmV0Only) return [];
    return [...modeProblems(bundle), ...serviceProblems(bundle), ...dependencyProblems(bundle)];
  },
};

/** Reports install modes that OLM v1 does not support. The modes with one namespace need a feature gate. */
function modeProblems(bundle: Bundle): readonly BundleProblem[] {
  const modes = supportedModes(bundle);
  if (modes.length === 0 || modes.includes('AllNamespaces')) return [];
  const isGated = modes.some((mode) => mode !== 'MultiNamespace');
  const why = isGated
    ? 'OLM v1 installs such a bundle only with the feature gate SingleOwnNamespaceInstallSupport'
    : 'OLM v1 cannot install such a bundle';
  return [
    {
      level: 'warning',
      path: 'spec.installModes',
      wrong: `supports ${modes.join(', ')} and not AllNamespaces: ${why}`,
      todo: 'support AllNamespaces',
    },
  ];
}

function serviceProblems({ csv }: Bundle): readonly BundleProblem[] {
  if (listAt(csv.fields, 'spec', 'apiservicedefinitions', 'owned').length === 0) return [];
  return [
    {
      path: 'spec.apiservicedefinitions.owned',
      wrong: 'brings an aggregated API server, which OLM v1 refuses',
      todo: 'serve custom resources',
    },
  ];
}

const REFUSED = ['olm.gvk.required', 'olm.package.required', 'olm.constraint'];

/** Reports dependencies, because OLM v1 installs a package without its dependencies. */
function dependencyProblems({ csv, dependencies, properties }: Bundle): readonly BundleProblem[] {
  const todo = 'leave it out, and tell people in the description what has to be installed before';
  const refused = (file: string, list: string, at: number, type: string): BundleProblem => ({
    file,
    path: `${list}[${at}]`,
    wrong: `is ${type}, a dependency, which OLM v1 refuses`,
    todo,
  });
  return [
    ...listAt(csv.fields, 'spec', 'customresourcedefinitions', 'required').map((_api, at) =>
      refused(csv.file, 'spec.customresourcedefinitions.required', at, 'olm.gvk.required'),
    ),
    ...listAt(csv.fields, 'spec', 'apiservicedefinitions', 'required').map((_api, at) =>
      refused(csv.file, 'spec.apiservicedefinitions.required', at, 'olm.gvk.required'),
    ),
    ...dependencies.map((each, at) =>
      refused(DEPENDENCIES_FILE, 'dependencies', at, textAt(each, 'type')),
    ),
    ...properties.flatMap((each, at) =>
      REFUSED.includes(textAt(each, 'type'))
        ? [refused(PROPERTIES_FILE, 'properties', at, textAt(each, 'type'))]
        : [],
    ),
  ];
}
