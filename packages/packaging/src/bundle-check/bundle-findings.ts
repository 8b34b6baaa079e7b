import { bundleOf } from './bundle.ts';
import type { BundleCheckOptions, BundleFinding, BundleRule } from './bundle-finding.ts';
import { annotationNames } from './rules/annotation-names.ts';
import { ownedDefinitions, validDefinitions } from './rules/definitions.ts';
import { examples } from './rules/examples.ts';
import { channelNames, definitionRights, descriptions, requests } from './rules/good-practice.ts';
import { listedImages, relatedImages } from './rules/images.ts';
import { installModes } from './rules/install-modes.ts';
import { kinds, noCaBundle } from './rules/kinds.ts';
import { platformLabels } from './rules/labels.ts';
import { imageLabels, layout } from './rules/layout.ts';
import { nameConvention, names, releaseName, requiredFields } from './rules/names.ts';
import { harmfulObjects } from './rules/objects.ts';
import { olmV1 } from './rules/olm-v1.ts';
import { capabilities, categories, hubPage } from './rules/operator-hub.ts';
import { removedApis } from './rules/removed-apis.ts';
import { grantedAccounts, serviceAccounts } from './rules/service-accounts.ts';
import { shape } from './rules/shape.ts';
import { size } from './rules/size.ts';
import { minKubeVersion, version } from './rules/versions.ts';
import { deploymentNames, webhooks } from './rules/webhooks.ts';

/** All rules: first the requirements of OLM, then the requirements of catalogs and users. */
export const BUNDLE_RULES: readonly BundleRule[] = [
  layout,
  imageLabels,
  shape,
  names,
  requiredFields,
  releaseName,
  version,
  minKubeVersion,
  examples,
  installModes,
  ownedDefinitions,
  validDefinitions,
  serviceAccounts,
  grantedAccounts,
  size,
  relatedImages,
  listedImages,
  annotationNames,
  kinds,
  noCaBundle,
  deploymentNames,
  webhooks,
  removedApis,
  hubPage,
  capabilities,
  categories,
  requests,
  channelNames,
  descriptions,
  definitionRights,
  nameConvention,
  platformLabels,
  harmfulObjects,
  olmV1,
];

/**
 * Checks an OLM bundle without a cluster and without other programs. The rules cover the checks of
 * `operator-sdk bundle validate` with the suite `operatorframework`, the refusals of
 * operator-controller (OLM v1), and content that OLM ignores silently.
 *
 * @param files - the text of each file, keyed by its path relative to the folder of the bundle,
 * with `/` as the separator.
 * @throws ConfigurationError `CONFIG` when the files are not a bundle. In this case no rule is
 * checked.
 */
export function bundleFindings(
  files: ReadonlyMap<string, string>,
  options: BundleCheckOptions = {},
): readonly BundleFinding[] {
  const bundle = bundleOf(files);
  return BUNDLE_RULES.flatMap((rule) =>
    rule.check(bundle, options).map(({ level = 'error', file = bundle.csv.file, ...problem }) => ({
      rule: rule.id,
      level,
      file,
      path: problem.path,
      message: `${problem.wrong}; ${problem.todo}`,
    })),
  );
}
