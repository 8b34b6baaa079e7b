import { join, posix } from 'node:path';
import { ConfigurationError } from 'chancery';
import {
  type ExitCode,
  type Io,
  LineWriter,
  namesIn,
  parseFlags,
  reportStates,
  strangerStates,
  treeStates,
  writeGenerated,
} from 'chancery/internal';
import { readBundleFolder } from '../check/bundle-folder.ts';
import { CONFIGS, catalogFiles } from './catalog.ts';
import { type CatalogBundle, catalogBundle } from './catalog-bundle.ts';

const FLAGS = {
  channel: { type: 'string', multiple: true },
  check: { type: 'boolean' },
  command: { type: 'string' },
  'default-channel': { type: 'string' },
  deprecate: { type: 'string', multiple: true },
  image: { type: 'string', multiple: true },
  output: { type: 'string', short: 'o' },
} as const;

/**
 * `chancery generate catalog BUNDLE_DIR... --image REF... -o DIR`.
 *
 * @throws ConfigurationError `CONFIG` when the command line is wrong, or no catalog can be made of these bundles.
 */
export async function generateCatalog(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values, positionals } = parseFlags(args, FLAGS);
  const { image: images = [], output, check = false } = values;
  if (output === undefined || output === '') {
    throw new ConfigurationError('a catalog is a folder of files: name it with -o');
  }
  if (positionals.length === 0) {
    throw new ConfigurationError('expected BUNDLE_DIR, a folder with a bundle; got none');
  }
  if (images.length !== positionals.length) {
    throw new ConfigurationError(
      `--image is given once for each BUNDLE_DIR, in the same order; got ${positionals.length} folders and ${images.length} images`,
    );
  }
  const bundles: CatalogBundle[] = [];
  for (const [at, folder] of positionals.entries()) {
    bundles.push(catalogBundle(folder, await readBundleFolder(folder), images[at] ?? ''));
  }
  const files = catalogFiles(bundles, {
    command: commandOf(values.command, positionals),
    deprecated: deprecatedOf(values.deprecate ?? []),
    ...(values.channel !== undefined && { channels: values.channel }),
    ...(values['default-channel'] !== undefined && { defaultChannel: values['default-channel'] }),
  });
  const before = await namesIn(join(output, CONFIGS));
  const folders = before.map((name) => `${CONFIGS}/${name}`);
  const written = await treeStates(output, files, folders);
  const own = files.map(({ path }) => posix.dirname(path)).filter((path) => path !== '.');
  const states = [...written, ...(await strangerStates(output, own, written))];
  using lines = new LineWriter(io.stdout, io.signal);
  return check ? reportStates(states, lines, io) : writeGenerated(states, lines, io);
}

function deprecatedOf(texts: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    texts.map((text) => {
      const [, name, message] = /^([^=]+)=([\s\S]+)$/.exec(text) ?? [];
      if (name !== undefined && message !== undefined) return [name, message] as const;
      throw new ConfigurationError(`--deprecate must be NAME=MESSAGE, not ${JSON.stringify(text)}`);
    }),
  );
}

/** The text goes into a comment, so it must not contain a line break or the closing backtick. */
function commandOf(text: string | undefined, folders: readonly string[]): string {
  const isLine = (line: string): boolean => /^[\x20-\x5f\x61-\x7e]+$/.test(line);
  if (text !== undefined && !isLine(text)) {
    throw new ConfigurationError('--command must be one line of ASCII without backticks');
  }
  const own = ['chancery generate catalog', ...folders].join(' ');
  return text ?? (isLine(own) ? own : 'chancery generate catalog');
}
