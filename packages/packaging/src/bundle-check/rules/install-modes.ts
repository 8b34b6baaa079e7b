import type { Bundle } from '../bundle.ts';
import type { BundleProblem, BundleRule } from '../bundle-finding.ts';
import { listAt, textAt, textsAt, valueAt } from '../fields.ts';

const PATH = 'spec.installModes';
const TYPES = ['OwnNamespace', 'SingleNamespace', 'MultiNamespace', 'AllNamespaces'];

/** Checks the install modes that OLM can use for the operator. */
export const installModes: BundleRule = {
  id: 'install-modes',
  check(bundle) {
    const modes = modesOf(bundle);
    const types = modes.map(({ type }) => type);
    if (modes.length === 0) return [noMode('is empty')];
    const twice = types.filter((type, at) => types.indexOf(type) !== at);
    const unknown = types.filter((type) => !TYPES.includes(type));
    return [
      ...twice.map((type) => ({
        path: PATH,
        wrong: `names ${type} twice, so that it is unclear which one counts`,
        todo: 'leave one out',
      })),
      ...unknown.map((type) => ({
        path: PATH,
        wrong: `names ${JSON.stringify(type)}, which is no install mode`,
        todo: `write one of ${TYPES.join(', ')}`,
      })),
      ...(modes.some(({ supported }) => supported) ? [] : [noMode('supports no mode')]),
      ...conversionProblems(bundle),
    ];
  },
};

function noMode(what: string): BundleProblem {
  return {
    path: PATH,
    wrong: `${what}, so OLM cannot install the operator`,
    todo: 'support at least one, such as AllNamespaces',
  };
}

/**
 * A CustomResourceDefinition exists for the whole cluster, so its conversion cannot belong to one
 * namespace.
 */
function conversionProblems(bundle: Bundle): readonly BundleProblem[] {
  const converting = listAt(bundle.csv.fields, 'spec', 'webhookdefinitions').filter(
    (webhook) => textsAt(webhook, 'conversionCRDs').length > 0,
  );
  const supported = supportedModes(bundle);
  if (converting.length === 0 || isOnlyAllNamespaces(supported)) return [];
  return [
    {
      path: PATH,
      wrong: `supports ${supported.join(', ') || 'nothing'}, but a webhook that converts allows AllNamespaces only`,
      todo: 'support AllNamespaces and nothing else',
    },
  ];
}

/** The install modes with `supported: true`. */
export function supportedModes(bundle: Bundle): readonly string[] {
  return modesOf(bundle)
    .filter(({ supported }) => supported)
    .map(({ type }) => type);
}

function isOnlyAllNamespaces(modes: readonly string[]): boolean {
  return modes.length > 0 && modes.every((mode) => mode === 'AllNamespaces');
}

function modesOf({
  csv,
}: Bundle): readonly { readonly type: string; readonly supported: boolean }[] {
  return listAt(csv.fields, 'spec', 'installModes').map((mode) => ({
    type: textAt(mode, 'type'),
    supported: valueAt(mode, ['supported']) === true,
  }));
}
