import { ConfigurationError } from 'chancery';
import { type Bundle, bundleOf } from '../bundle-check/bundle.ts';
import { fieldsAt, textAt, textsAt } from '../bundle-check/fields.ts';
import { isImageReference } from '../bundle-check/image-reference.ts';
import { channelsOf, defaultChannelOf } from '../bundle-check/rules/good-practice.ts';
import { type SemanticVersion, semanticVersion } from '../bundle-check/semantic-version.ts';

/** A bundle that a catalog offers. */
export interface CatalogBundle {
  /** Names it in messages. */
  readonly folder: string;
  readonly bundle: Bundle;
  /** Where clusters fetch it. */
  readonly image: string;
  readonly packageName: string;
  readonly name: string;
  readonly versionText: string;
  readonly version: SemanticVersion;
  readonly channels: readonly string[];
  /** Empty when the bundle names none. */
  readonly defaultChannel: string;
  /** Empty when it replaces none. */
  readonly replaces: string;
  readonly skips: readonly string[];
  /** Empty when it has none. */
  readonly skipRange: string;
}

/**
 * What a catalog says about a bundle.
 *
 * @param folder - names it in messages.
 * @param files - as in `bundleFindings`.
 * @throws ConfigurationError `CONFIG` when this is no bundle, or it lacks its package, name or version.
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
