import type { KubernetesObject } from 'chancery';
import type { OperatorModel } from 'chancery/internal';
import type { PackageMetadata } from '../metadata.ts';

/**
 * The install modes of OLM, which say what namespaces an operator watches. They are in the order in
 * which a bundle lists them.
 */
export const INSTALL_MODES = [
  'OwnNamespace',
  'SingleNamespace',
  'MultiNamespace',
  'AllNamespaces',
] as const;
export type InstallMode = (typeof INSTALL_MODES)[number];

/**
 * A webhook as a ClusterServiceVersion contains it. OLM creates the configuration, the Service and
 * the certificate.
 */
export interface WebhookDefinition {
  /** A DNS name that no other webhook of the bundle has. */
  readonly generateName: string;
  readonly type: 'ConversionWebhook' | 'MutatingAdmissionWebhook' | 'ValidatingAdmissionWebhook';
  /** The Deployment whose Pods serve the webhook. */
  readonly deploymentName: string;
  /** The names of the definitions that a conversion webhook converts. Omitted for other webhooks. */
  readonly conversionCRDs?: readonly string[];
  readonly [field: string]: unknown;
}

/** Settings of a bundle that neither a declaration nor the metadata contains. */
export interface BundleOptions {
  /** The command that generates the bundle. Each file contains it in a comment. */
  readonly command: string;
  /** The channels of the bundle, at least one. */
  readonly channels: readonly string[];
  /** The default channel: one of `channels`. Default: the first of them. */
  readonly defaultChannel?: string;
  /** The bundle that this bundle replaces: `NAME.vVERSION`. */
  readonly replaces?: string;
  /** Bundles that an upgrade skips. Default: none. */
  readonly skips?: readonly string[];
  /** Versions that can be upgraded directly to this version, such as `>=1.0.0 <1.2.0`. */
  readonly skipRange?: string;
  /**
   * The install modes. Default: only AllNamespaces. With any other mode, rights are granted per
   * watched namespace.
   */
  readonly installModes?: readonly InstallMode[];
  /** Refuses images without a digest. Default false. */
  readonly pin?: boolean;
  /**
   * The date of the bundle, in RFC 3339. If omitted, the bundle contains no date, so that equal
   * input gives equal files.
   */
  readonly createdAt?: string;
  /**
   * Allows webhooks in the operator's Deployment. All containers of the Deployment then see the
   * serving key. Default false.
   */
  readonly allowKeyInOperator?: boolean;
  /** Webhooks as a ClusterServiceVersion contains them. Default: none. */
  readonly webhooks?: readonly WebhookDefinition[];
  /** Samples that replace the generated samples of the same kind and version. Default: none. */
  readonly samples?: readonly KubernetesObject[];
  /** Architectures of the images. Default `amd64`. */
  readonly architectures?: readonly string[];
}

/** The name of the ClusterServiceVersion. */
export function bundleName(
  { options }: Pick<OperatorModel, 'options'>,
  { version }: Pick<PackageMetadata, 'version'>,
): string {
  return `${options.name}.v${version}`;
}

/** The modes of a bundle, in the order of `INSTALL_MODES`. */
export function installModesOf({
  installModes = [],
}: Pick<BundleOptions, 'installModes'>): readonly InstallMode[] {
  if (installModes.length === 0) return ['AllNamespaces'];
  return INSTALL_MODES.filter((mode) => installModes.includes(mode));
}

/** True when OLM may set the namespaces that the operator watches. */
export function watchesTargets(options: Pick<BundleOptions, 'installModes'>): boolean {
  return installModesOf(options).some((mode) => mode !== 'AllNamespaces');
}

/** The oldest Kubernetes that accepts the Deployment, because the Deployment uses `preStop.sleep`. */
export const OLDEST_KUBERNETES = '1.30.0';
