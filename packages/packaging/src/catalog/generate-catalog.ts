import { join, posix } from 'node:path';
import { ConfigurationError } from 'chancery';
import {
  type ExitCode,
  type GENERATE,
  type GivenTo,
  type Io,
  LineWriter,
  namesIn,
  reportStates,
  strangerStates,
  treeStates,
  writeGenerated,
} from 'chancery/internal';
import { readBundleFolder } from '../check/bundle-folder.ts';
import { CONFIGS, catalogFiles } from './catalog.ts';
import { type CatalogBundle, catalogBundle } from './catalog-bundle.ts';

/**
 * `chancery generate catalog`: writes a catalog of bundles.
 *
 * @throws ConfigurationError `CONFIG` when the command line is wrong, or when the bundles cannot
 * form a catalog.
 */
export async function generateCatalog(
  { values, words: folders }: GivenTo<typeof GENERATE>,
  io: Io,
): Promise<ExitCode> {
  const { image: images, output, check, channel, defaultChannel } = values;
  if (output === undefined || output === '') {
    throw new ConfigurationError('a catalog is a folder of files: name it with -o');
  }
  if (folders.length === 0) {
    throw new ConfigurationError('expected BUNDLE_DIR, a folder with a bundle; got none');
  }
  if (images.length !== folders.length) {
    throw new ConfigurationError(
      `--image is given once for each BUNDLE_DIR, in the same order; got ${folders.length} folders and ${images.length} images`,
    );
  }
  const bundles: CatalogBundle[] = [];
  for (const [at, folder] of folders.entries()) {
    bundles.push(catalogBundle(folder, await readBundleFolder(folder), images[at] ?? ''));
  }
  const files = catalogFiles(bundles, {
    command: commandOf(values.command, folders),
    deprecated: new Map(values.deprecate),
    ...(channel.length > 0 && { channels: channel }),
    ...(defaultChannel !== undefined && { defaultChannel }),
  });
  const before = await namesIn(join(output, CONFIGS));
  const earlier = before.map((name) => `${CONFIGS}/${name}`);
  const written = await treeStates(output, files, earlier);
  const own = files.map(({ path }) => posix.dirname(path)).filter((path) => path !== '.');
  const states = [...written, ...(await strangerStates(output, own, written))];
  using lines = new LineWriter(io.stdout, io.signal);
  return check ? reportStates(states, lines, io) : writeGenerated(states, lines, io);
}

/**
 * Returns the command for a comment. The command must not contain a line break or a closing
 * backtick.
 */
function commandOf(text: string | undefined, folders: readonly string[]): string {
  const isLine = (line: string): boolean => /^[\x20-\x5f\x61-\x7e]+$/.test(line);
  if (text !== undefined && !isLine(text)) {
    throw new ConfigurationError('--command must be one line of ASCII without backticks');
  }
  const own = ['chancery generate catalog', ...folders].join(' ');
  return text ?? (isLine(own) ? own : 'chancery generate catalog');
}
