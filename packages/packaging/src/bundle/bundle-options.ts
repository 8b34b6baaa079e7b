import type { KubernetesObject } from 'chancery';
import type { OperatorModel } from 'chancery/internal';
import type { PackageMetadata } from '../metadata.ts';

/** Which namespaces OLM can make an operator watch, in the order in which a bundle lists them. */
export const INSTALL_MODES = [
  'OwnNamespace',
  'SingleNamespace',
  'MultiNamespace',
  'AllNamespaces',
] as const;
export type InstallMode = (typeof INSTALL_MODES)[number];

/** A webhook as in a ClusterServiceVersion. OLM creates the configuration, the Service and the certificate. */
export interface WebhookDefinition {
  /** A DNS name, different from those of the other webhooks. */
  readonly generateName: string;
  readonly type: 'ConversionWebhook' | 'MutatingAdmissionWebhook' | 'ValidatingAdmissionWebhook';
  /** Whose Pods serve it. */
  readonly deploymentName: string;
  /** Only for conversion: the names of the definitions. */
  readonly conversionCRDs?: readonly string[];
  readonly [field: string]: unknown;
}

/** What neither a declaration nor the metadata says about a bundle. */
export interface BundleOptions {
  /** The command that writes the bundle, named in each file. */
  readonly command: string;
  /** At least one. */
  readonly channels: readonly string[];
  /** One of the channels. Default: the first. */
  readonly defaultChannel?: string;
  /** The bundle that this one upgrades: `NAME.vVERSION`. */
  readonly replaces?: string;
  /** Bundles that an upgrade passes over. Default: none. */
  readonly skips?: readonly string[];
  /** Versions that upgrade to this one directly, such as `>=1.0.0 <1.2.0`. */
  readonly skipRange?: string;
  /** Default: AllNamespaces only. With any other the rights are granted for each watched namespace. */
  readonly installModes?: readonly InstallMode[];
  /** Refuses images without a digest. Default false. */
  readonly pin?: boolean;
  /** RFC 3339. Left out: the bundle contains no date, and is the same every time. */
  readonly createdAt?: string;
  /** Admits webhooks in the operator's Deployment, whose containers then all see the serving key. Default false. */
  readonly allowKeyInOperator?: boolean;
  /** As in a ClusterServiceVersion. Default: none. */
  readonly webhooks?: readonly WebhookDefinition[];
  /** Shown in place of what the schema of their kind and version makes. Default: none. */
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

/** True when OLM may tell the operator what to watch. */
export function watchesTargets(options: Pick<BundleOptions, 'installModes'>): boolean {
  return installModesOf(options).some((mode) => mode !== 'AllNamespaces');
}

/** The oldest Kubernetes that takes the Deployment: it has `preStop.sleep`. */
export const OLDEST_KUBERNETES = '1.30.0';
