import { ConfigurationError } from 'chancery';
import type { OperatorModel } from 'chancery/internal';
import type { PackageMetadata } from '../metadata.ts';
import {
  type BundleOptions,
  bundleName,
  INSTALL_MODES,
  installModesOf,
  OLDEST_KUBERNETES,
  watchesTargets,
} from './bundle-options.ts';
import { type InstallStrategy, installStrategy } from './install-strategy.ts';
import { ownedDefinitions } from './owned-definitions.ts';
import { samples } from './samples.ts';
import { spacedWords } from './words.ts';

/** An image that the operator uses. */
interface RelatedImage {
  readonly name: string;
  readonly image: string;
}

/**
 * The ClusterServiceVersion of a bundle.
 *
 * @throws ConfigurationError `CONFIG` in the same cases as `bundleFiles`.
 */
export function clusterServiceVersion(
  model: OperatorModel,
  metadata: PackageMetadata,
  options: BundleOptions,
): object {
  const install = installStrategy(model, options);
  const relatedImages = imagesOf(install);
  if (options.pin === true) requireDigests(relatedImages);
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: {
      name: bundleName(model, metadata),
      namespace: 'placeholder',
      labels: supported(options),
      annotations: annotations(model, metadata, options),
    },
    spec: {
      ...shown(model, metadata, options),
      ...upgrade(options),
      installModes: INSTALL_MODES.map((type) => ({
        type,
        supported: installModesOf(options).includes(type),
      })),
      customresourcedefinitions: { owned: ownedDefinitions(model) },
      ...(options.webhooks !== undefined &&
        options.webhooks.length > 0 && { webhookdefinitions: options.webhooks }),
      install,
      relatedImages,
      cleanup: { enabled: false },
    },
  };
}

function imagesOf({ spec }: InstallStrategy): readonly RelatedImage[] {
  return spec.deployments.flatMap(({ spec: { template } }) =>
    [...(template.spec.initContainers ?? []), ...template.spec.containers].map(
      ({ name, image }) => ({ name, image }),
    ),
  );
}

function requireDigests(images: readonly RelatedImage[]): void {
  const loose = images.filter(({ image }) => !image.includes('@sha256:'));
  if (loose.length === 0) return;
  const named = loose.map(({ name, image }) => `${image} (${name})`).join(', ');
  throw new ConfigurationError(`--pin: an image has no digest, as in NAME@sha256:…: ${named}`);
}

function supported({ architectures = ['amd64'] }: BundleOptions): Readonly<Record<string, string>> {
  return {
    ...Object.fromEntries(
      architectures.toSorted().map((each) => [`operatorframework.io/arch.${each}`, 'supported']),
    ),
    'operatorframework.io/os.linux': 'supported',
  };
}

function annotations(
  model: OperatorModel,
  metadata: PackageMetadata,
  options: BundleOptions,
): Readonly<Record<string, string>> {
  const { categories, capabilities = 'Basic Install', repository, provider } = metadata;
  const { createdAt, skipRange, pin = false } = options;
  const features = 'features.operators.openshift.io';
  return {
    'alm-examples': JSON.stringify(samples(model.definitions, options.samples), null, 2),
    capabilities,
    ...(categories !== undefined && categories.length > 0 && { categories: categories.join(', ') }),
    containerImage: model.options.images.operator,
    ...(createdAt !== undefined && { createdAt }),
    ...(metadata.description !== undefined && { description: metadata.description }),
    [`${features}/disconnected`]: String(pin),
    [`${features}/fips-compliant`]: 'false',
    [`${features}/proxy-aware`]: 'false',
    [`${features}/tls-profiles`]: 'false',
    [`${features}/token-auth-aws`]: 'false',
    [`${features}/token-auth-azure`]: 'false',
    [`${features}/token-auth-gcp`]: 'false',
    ...(skipRange !== undefined && { 'olm.skipRange': skipRange }),
    'operatorframework.io/suggested-namespace': model.options.namespace,
    'operatorframework.io/suggested-namespace-template': JSON.stringify(model.namespace),
    'operators.operatorframework.io/builder': 'chancery',
    'operators.operatorframework.io/project_layout': 'chancery',
    ...(repository !== undefined && { repository }),
    ...(provider !== undefined && { support: provider.name }),
  };
}

/** The fields of a ClusterServiceVersion that catalogs show. */
function shown(model: OperatorModel, metadata: PackageMetadata, options: BundleOptions): object {
  const { version, minKubeVersion = OLDEST_KUBERNETES, maturity = 'alpha' } = metadata;
  const { displayName = spacedWords(model.options.name), keywords = [], provider } = metadata;
  const { maintainers = [], icon } = metadata;
  const links = linksOf(metadata);
  return {
    displayName,
    version,
    maturity,
    minKubeVersion,
    description: description(displayName, metadata, options),
    ...(keywords.length > 0 && { keywords }),
    ...(maintainers.length > 0 && { maintainers }),
    ...(provider !== undefined && { provider }),
    ...(links.length > 0 && { links }),
    ...(icon !== undefined && { icon: [icon] }),
  };
}

function linksOf({ links = [], homepage, repository }: PackageMetadata): readonly object[] {
  return [
    ...(homepage === undefined ? [] : [{ name: 'Home page', url: homepage }]),
    ...(repository === undefined || repository === homepage
      ? []
      : [{ name: 'Source code', url: repository }]),
    ...links,
  ];
}

/**
 * The description of the operator. It says which rights the operator itself needs, because OLM v1
 * needs all of the listed rights for the installation.
 */
function description(
  displayName: string,
  { details, description: sentence }: PackageMetadata,
  options: BundleOptions,
): string {
  const rights =
    "Only the container `proxy` holds the ServiceAccount's token. The container `operator` holds no credential: it " +
    'sends its requests to the proxy, whose filter lets through what the operator declares and nothing else. The ' +
    'roles are generated from the same declarations.';
  const targets =
    ' The filter is open for all namespaces, because OLM decides which ones are watched: the Roles that OLM creates ' +
    'are the limit.';
  const about = details ?? sentence ?? `The operator ${displayName}.`;
  return `${about.trim()}\n\n## Rights\n\n${rights}${watchesTargets(options) ? targets : ''}\n`;
}

function upgrade({ replaces, skips = [] }: BundleOptions): object {
  return { ...(replaces !== undefined && { replaces }), ...(skips.length > 0 && { skips }) };
}
