/** A person or a team. */
export interface Maintainer {
  readonly name: string;
  readonly email?: string;
}

/** Information about an operator that catalogs show and that no declaration contains. */
export interface PackageMetadata {
  /** The version of the operator: SemVer without a leading `v`. */
  readonly version: string;
  /** The display name. Default: derived from the name of the operator. */
  readonly displayName?: string;
  /** A description in one sentence. */
  readonly description?: string;
  /** Markdown, several paragraphs. Default: the description. */
  readonly details?: string;
  readonly keywords?: readonly string[];
  readonly maintainers?: readonly Maintainer[];
  /** The company or person that provides the operator. */
  readonly provider?: { readonly name: string; readonly url?: string };
  readonly homepage?: string;
  /** URL of the sources. */
  readonly repository?: string;
  readonly links?: readonly { readonly name: string; readonly url: string }[];
  /** SPDX expression, such as `Apache-2.0`. */
  readonly license?: string;
  readonly icon?: { readonly base64data: string; readonly mediatype: string };
  /** Categories of OperatorHub, such as `Monitoring`. */
  readonly categories?: readonly string[];
  /** A category of Artifact Hub, such as `monitoring-logging`. */
  readonly artifactHubCategory?: string;
  /** One of the five capability levels, such as `Basic Install`. */
  readonly capabilities?: string;
  /** The oldest Kubernetes: three numbers, such as `1.30.0`. */
  readonly minKubeVersion?: string;
  /** The maturity of the operator, such as `alpha`, `beta` or `stable`. */
  readonly maturity?: string;
}
