import { relative } from 'node:path';
import process from 'node:process';
import { ConfigurationError } from '../../core/errors.ts';
import { isDnsLabel } from '../../model/dns-name.ts';
import { knownKinds } from '../../model/known-kinds.ts';
import { pluralOf } from '../../model/plural.ts';
import { apiVersionOf, defineResource, type Resource } from '../../model/resource.ts';
import type { ExitCode, Io } from '../command.ts';
import type { GivenTo } from '../command-table.ts';
import { conflictsOf, writeNewFiles } from '../files/new-files.ts';
import { installCommand, isPackageInstalled } from '../loading/load-package.ts';
import { hookFiles, type NewHook } from './hook-files.ts';
import type { CREATE } from './table.ts';

/** `chancery create hook`: writes a working hook, with its rights and a sample. */
export async function createHook(given: GivenTo<typeof CREATE>, io: Io): Promise<ExitCode> {
  const hook = newHook(given);
  const files = hookFiles(hook);
  const conflicts = await conflictsOf(process.cwd(), files);
  if (conflicts.length > 0) {
    io.stderr.write(`chancery create: ${conflicts.join(', ')} exists; nothing was written\n`);
    return 1;
  }
  await writeNewFiles(process.cwd(), files);
  for (const { path } of files) io.stdout.write(`written ${path}\n`);
  const [script, , sample] = files;
  const { kind } = hook.resource;
  // Without a cluster, only the built-in kinds are known.
  const definition = isKnown(hook.resource)
    ? ''
    : ` --crd DEFINITION-OF-${kind.toUpperCase()}.yaml`;
  const runner = '@chancery/hooks';
  const install = isPackageInstalled(runner) ? '' : `  ${installCommand(runner)}\n`;
  io.stderr.write(
    `chancery create: ${hook.name} watches ${hook.resource.plural}. Next:\n\n${install}` +
      `  chancery test-hook ${script?.path} --context ${sample?.path}${definition}\n`,
  );
  return 0;
}

/**
 * Parses the command line of `chancery create hook`.
 *
 * @throws ConfigurationError `CONFIG` in one line with the expected and the actual value.
 */
function newHook({ values, words }: GivenTo<typeof CREATE>): NewHook {
  const [name, ...others] = words;
  if (name === undefined || others.length > 0) {
    throw new ConfigurationError(`hook takes one NAME, such as watch-pods; got ${words.length}`);
  }
  if (!isDnsLabel(name, 52)) {
    throw new ConfigurationError(
      `the name of a hook has at most 52 of a-z, 0-9 and "-", not ${JSON.stringify(name)}`,
    );
  }
  const { kind = 'Pod', lang: language, dir, apiVersion } = values;
  return {
    name,
    language,
    resource: resourceOf(kind, apiVersion),
    folder: folderOf(dir),
  };
}

function isKnown({ kind, ...names }: Resource): boolean {
  return knownKinds()(kind, apiVersionOf(names)) !== undefined;
}

/**
 * The resource of a kind. For a kind that Kubernetes does not have, the plural is formed by the
 * rules of English.
 */
function resourceOf(kind: string, apiVersion: string | undefined): Resource {
  const known = knownKinds()(kind, apiVersion);
  if (known !== undefined) return known;
  const [version, group, ...rest] = (apiVersion ?? '').split('/').reverse();
  const isName = /^[A-Z][A-Za-z0-9]{0,62}$/.test(kind);
  if (!version || !group || rest.length > 0 || !isName) {
    throw new ConfigurationError(
      `--kind ${JSON.stringify(kind)} is no kind of Kubernetes: write one of yours in CamelCase, and with ` +
        '--api-version, such as --kind Website --api-version example.com/v1',
    );
  }
  const plural = pluralOf(kind.toLowerCase());
  return defineResource({ group, version, plural, kind, namespaced: true });
}

function folderOf(dir: string): string {
  const folder = relative('', dir).replaceAll('\\', '/');
  if (folder !== '' && !folder.startsWith('..')) return folder;
  throw new ConfigurationError(
    `--dir must be a folder below ${process.cwd()}, not ${JSON.stringify(dir)}`,
  );
}
