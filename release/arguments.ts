/** The command line of `npm run release`. */
import { readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { CHECKS, type Check } from './refusal.ts';

export const USAGE = `usage: npm run release -- [--dry-run [--except CHECK,…] [--no-images]] [--registry HOST/PATH] [-o FOLDER]

  --dry-run             make everything, publish nothing
  --except CHECK,…      what these checks refuse is told, and does not decide the exit code
  --no-images           build none, which is a refusal
  --registry HOST/PATH  where the images go, such as ghcr.io/owner/name
  -o, --output FOLDER   where everything goes, absent or empty; release/dist/VERSION without it, which is made anew
  -h, --help            print this

checks: ${CHECKS.join(', ')}

exit codes: 0 nothing is refused, 1 something is refused or publishing failed, 2 the command line is wrong
`;

export interface ReleaseArguments {
  readonly isDryRun: boolean;
  readonly hasImages: boolean;
  readonly except: ReadonlySet<Check>;
  readonly registry: string | undefined;
  readonly output: string | undefined;
}

/** `--help`: print how it is used, and do nothing. */
export type Help = 'help';

/** A registry's host, and at least one part of a path. */
const REGISTRY = /^[a-z0-9.-]+(?::\d+)?(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)+$/;

/** The command line is wrong. */
export class UsageError extends Error {}

/**
 * @param env - `npm run release --dry-run`, without `--` before the option, is an option of npm, which tells the script
 *   in a variable. It must not publish.
 * @throws UsageError that says what is wrong.
 */
export function parseReleaseArguments(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): ReleaseArguments | Help {
  const { help, 'dry-run': isGiven, 'no-images': hasNone, except = '', ...more } = parsed(args);
  const { registry, output } = more;
  if (help) return 'help';
  const isDryRun = isGiven || env.npm_config_dry_run === 'true';
  const names = except.split(',').filter((name) => name !== '');
  const unknown = names.filter((name) => !(CHECKS as readonly string[]).includes(name));
  if (unknown.length > 0) throw new UsageError(`no check is called ${unknown.join(', ')}`);
  if (names.length > 0 && !isDryRun) throw new UsageError('--except is for --dry-run alone');
  if (registry !== undefined && !REGISTRY.test(registry)) {
    throw new UsageError(`--registry ${registry} is not HOST/PATH in lower case`);
  }
  return { isDryRun, hasImages: !hasNone, except: new Set(names as Check[]), registry, output };
}

/**
 * A folder that is named is never emptied: it could be anything.
 *
 * @throws UsageError when something is in it, or it is no folder.
 */
export async function checkOutput(root: string, output: string | undefined): Promise<void> {
  if (output === undefined) return;
  const names = await readdir(resolve(root, output)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new UsageError(`--output ${output} cannot be read: ${error.message}`, { cause: error });
  });
  if (names.length > 0) throw new UsageError(`--output ${output} is not empty`);
}

function parsed(args: readonly string[]): {
  readonly help: boolean;
  readonly 'dry-run': boolean;
  readonly 'no-images': boolean;
  readonly except?: string;
  readonly registry?: string;
  readonly output?: string;
} {
  try {
    return parseArgs({
      args: [...args],
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        'dry-run': { type: 'boolean', default: false },
        'no-images': { type: 'boolean', default: false },
        except: { type: 'string' },
        registry: { type: 'string' },
        output: { type: 'string', short: 'o' },
      },
    }).values;
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}
