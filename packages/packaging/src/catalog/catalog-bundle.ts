import { ConfigurationError } from 'chancery';
import { type Bundle, bundleOf } from '../bundle-check/bundle.ts';
import { fieldsAt, textAt, textsAt } from '../bundle-check/fields.ts';
import { isImageReference } from '../bundle-check/image-reference.ts';
import { channelsOf, defaultChannelOf } from '../bundle-check/rules/good-practice.ts';
import { type SemanticVersion, semanticVersion } from '../bundle-check/semantic-version.ts';

/** A bundle that a catalog offers. */
export interface CatalogBundle {
  /** Identifies the bundle in messages. */
  readonly folder: string;
  readonly bundle: Bundle;
  /** The image from which clusters pull the bundle. */
  readonly image: string;
  readonly packageName: string;
  readonly name: string;
  readonly versionText: string;
  readonly version: SemanticVersion;
  readonly channels: readonly string[];
  /** The default channel. Empty when the bundle has none. */
  readonly defaultChannel: string;
  /** The name of the replaced bundle. Empty when the bundle replaces no other bundle. */
  readonly replaces: string;
  readonly skips: readonly string[];
  /** The range of versions that can be upgraded directly. Empty when the bundle has no range. */
  readonly skipRange: string;
}

/**
 * The data of a bundle for a catalog.
 *
 * @param folder - identifies the bundle in messages.
 * @param files - as in `bundleFindings`.
 * @throws ConfigurationError `CONFIG` when the files are not a bundle, or when the package, name or
 * version is missing.
 */
export function catalogBundle(
  folder: string,
  files: ReadonlyMap<string, string>,
  image: string,
): CatalogBundle {
  const refused = (problem: string): ConfigurationError =>
    new ConfigurationError(`${folder}: ${problem}`);
  const bundle = bundleOf(files);
  const { fields, name } = bundle.csv;
  const packageName = textAt(
    bundle.annotations,
    'operators.operatorframework.io.bundle.package.v1',
  );
  const versionText = textAt(fields, 'spec', 'version');
  const version = semanticVersion(versionText);
  if (!/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(packageName)) {
    throw refused('metadata/annotations.yaml names no package');
  }
  if (name === '') throw refused('the ClusterServiceVersion has no name');
  if (version === undefined)
    throw refused('spec.version of the ClusterServiceVersion is no version');
  if (!isImageReference(image)) {
    throw refused(`its image must be registry/name:tag or a digest, not ${JSON.stringify(image)}`);
  }
  return {
    folder,
    bundle,
    image,
    packageName,
    name,
    versionText,
    version,
    channels: channelsOf(bundle),
    defaultChannel: defaultChannelOf(bundle),
    replaces: textAt(fields, 'spec', 'replaces'),
    skips: textsAt(fields, 'spec', 'skips'),
    skipRange: textAt(fieldsAt(fields, 'metadata', 'annotations'), 'olm.skipRange'),
  };
}
