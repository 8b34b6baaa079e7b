import { ConfigurationError } from 'chancery';
import { documents, header, type ManifestFile } from 'chancery/internal';
import { fieldsAt, listAt, textAt } from '../bundle-check/fields.ts';
import { compareVersions } from '../bundle-check/semantic-version.ts';
import { propertiesOf, relatedImagesOf } from './bundle-properties.ts';
import type { CatalogBundle } from './catalog-bundle.ts';
import { type ChannelEntry, channelProblems } from './channel.ts';

/** Settings of a catalog that its bundles do not contain. */
export interface CatalogOptions {
  /** The command that generates the catalog. Each file contains it in a comment. */
  readonly command: string;
  /** The channels that get all bundles. Default: each bundle is in the channels of its annotation. */
  readonly channels?: readonly string[];
  /**
   * The default channel of the package. Default: the default channel of the newest bundle, or its
   * only channel.
   */
  readonly defaultChannel?: string;
  /** Deprecation messages for users, keyed by the name of a package, channel or bundle. */
  readonly deprecated?: ReadonlyMap<string, string>;
}

/** The folder of the catalog in its image. */
export const CONFIGS = 'configs';

/**
 * A file-based catalog: a folder for `opm validate` and `opm serve`, and the Dockerfile of an image
 * that OLM v1 reads.
 *
 * @throws ConfigurationError `CONFIG` when a package has the same version twice, when a channel has
 * no upgrade path, or when a default channel has no bundle. The message contains the names of the
 * bundles.
 */
export function catalogFiles(
  bundles: readonly CatalogBundle[],
  options: CatalogOptions,
): readonly ManifestFile[] {
  if (bundles.length === 0) throw new ConfigurationError('a catalog needs a bundle; got none');
  const names = [...new Set(bundles.map(({ packageName }) => packageName))].sort();
  const packages = names.map((name) =>
    packageOf(
      name,
      bundles.filter(({ packageName }) => packageName === name),
      options,
    ),
  );
  refuseUnknownDeprecations(packages, options);
  const comment = header(options.command);
  return [
    { path: 'catalog.Dockerfile', text: `${comment}${DOCKERFILE}` },
    ...packages.map(({ name, blobs }) => ({
      path: `${CONFIGS}/${name}/catalog.yaml`,
      text: documents(comment, blobs),
    })),
  ];
}

const DOCKERFILE = `FROM scratch
LABEL operators.operatorframework.io.index.configs.v1=/${CONFIGS}
COPY ${CONFIGS} /${CONFIGS}
`;

interface Package {
  readonly name: string;
  readonly blobs: readonly object[];
  /** All names in the package for which a deprecation message is possible. */
  readonly references: ReadonlySet<string>;
}

function packageOf(
  name: string,
  bundles: readonly CatalogBundle[],
  options: CatalogOptions,
): Package {
  const sorted = bundles.toSorted((a, b) => compareVersions(a.version, b.version));
  refuseTwins(name, sorted);
  const channels = channelsOf(name, sorted, options);
  const [newest] = sorted.slice(-1);
  const shown = { ...newest, defaultChannel: defaultChannelOf(name, sorted, channels, options) };
  const references = new Set([name, ...channels.keys(), ...sorted.map((each) => each.name)]);
  const entries = deprecations(name, sorted, channels, options);
  return {
    name,
    references,
    blobs: [
      packageBlob(name, shown),
      ...[...channels].map(([channel, found]) => ({
        schema: 'olm.channel',
        package: name,
        name: channel,
        entries: found,
      })),
      ...sorted.map(bundleBlob),
      ...(entries.length > 0 ? [{ schema: 'olm.deprecations', package: name, entries }] : []),
    ],
  };
}

function packageBlob(
  name: string,
  { bundle, defaultChannel }: Partial<CatalogBundle> & { readonly defaultChannel: string },
): object {
  const spec = fieldsAt(bundle?.csv.fields, 'spec');
  const [icon] = listAt(spec, 'icon');
  const { base64data, mediatype } = fieldsAt(icon);
  const description = textAt(spec, 'description');
  return {
    schema: 'olm.package',
    name,
    defaultChannel,
    ...(description !== '' && { description }),
    ...(icon !== undefined && { icon: { base64data, mediatype } }),
  };
}

function bundleBlob(offered: CatalogBundle): object {
  const { packageName, name, image } = offered;
  return {
    schema: 'olm.bundle',
    package: packageName,
    name,
    image,
    properties: propertiesOf(offered),
    relatedImages: relatedImagesOf(offered),
  };
}

function refuseTwins(name: string, sorted: readonly CatalogBundle[]): void {
  for (const [at, second] of sorted.entries()) {
    const first = sorted
      .slice(0, at)
      .find(
        (each) => each.name === second.name || compareVersions(each.version, second.version) === 0,
      );
    if (first === undefined) continue;
    throw new ConfigurationError(
      `${first.folder} and ${second.folder} are the same version of ${name}, ${second.versionText}: leave one out`,
    );
  }
}

/** The channels, keyed by name, each with its bundles sorted by version. */
function channelsOf(
  name: string,
  sorted: readonly CatalogBundle[],
  { channels: forAll }: CatalogOptions,
): ReadonlyMap<string, readonly ChannelEntry[]> {
  const without = sorted.find(({ channels }) => (forAll ?? channels).length === 0);
  if (without !== undefined) {
    throw new ConfigurationError(`${without.folder} names no channel: name one with --channel`);
  }
  const channels = [...new Set(sorted.flatMap((each) => forAll ?? each.channels))].sort();
  const found = channels.map((channel): readonly [string, readonly ChannelEntry[]] => {
    const entries = sorted
      .filter((each) => (forAll ?? each.channels).includes(channel))
      .map(entryOf);
    const problems = channelProblems(entries);
    if (problems.length === 0) return [channel, entries];
    throw new ConfigurationError(`the channel ${channel} of ${name}: ${problems.join('; ')}`);
  });
  return new Map(found);
}

function entryOf({ name, replaces, skips, skipRange }: CatalogBundle): ChannelEntry {
  return {
    name,
    ...(replaces !== '' && { replaces }),
    ...(skips.length > 0 && { skips }),
    ...(skipRange !== '' && { skipRange }),
  };
}

function defaultChannelOf(
  name: string,
  sorted: readonly CatalogBundle[],
  channels: ReadonlyMap<string, unknown>,
  { defaultChannel: given }: CatalogOptions,
): string {
  const [only, ...others] = channels.keys();
  const named = sorted.findLast((each) => each.defaultChannel !== '')?.defaultChannel;
  const found = given ?? named ?? (others.length === 0 ? only : undefined);
  const known = [...channels.keys()].join(', ');
  if (found === undefined) {
    throw new ConfigurationError(
      `${name} has the channels ${known} and no default: name it with --default-channel`,
    );
  }
  if (channels.has(found)) return found;
  throw new ConfigurationError(
    `the default channel ${found} of ${name} has no bundle; there are ${known}`,
  );
}

function deprecations(
  name: string,
  sorted: readonly CatalogBundle[],
  channels: ReadonlyMap<string, unknown>,
  { deprecated = new Map() }: CatalogOptions,
): readonly object[] {
  const references = [
    { schema: 'olm.package', reference: name },
    ...[...channels.keys()].map((channel) => ({ schema: 'olm.channel', reference: channel })),
    ...sorted.map((each) => ({ schema: 'olm.bundle', reference: each.name })),
  ];
  return references.flatMap(({ schema, reference }) => {
    const message = deprecated.get(reference);
    if (message === undefined) return [];
    // The deprecation of a package has no name, because it is part of the package.
    const named = schema === 'olm.package' ? { schema } : { schema, name: reference };
    return [{ reference: named, message }];
  });
}

function refuseUnknownDeprecations(
  packages: readonly Package[],
  { deprecated = new Map() }: CatalogOptions,
): void {
  const unknown = [...deprecated.keys()].find(
    (reference) => !packages.some(({ references }) => references.has(reference)),
  );
  if (unknown === undefined) return;
  throw new ConfigurationError(
    `cannot deprecate ${JSON.stringify(unknown)}: it is no package, channel or bundle of the catalog`,
  );
}
