/** The command line of `npm run release`. */
import { parseArgs } from 'node:util';
import { CHECKS, type Check } from './refusal.ts';

export const USAGE = `usage: npm run release -- [--dry-run [--except CHECK,…] [--no-images]] [--registry HOST/PATH] [-o FOLDER]

  --dry-run             make everything, publish nothing
  --except CHECK,…      what these checks refuse is told, and does not decide the exit code
  --no-images           build none, which is a refusal
  --registry HOST/PATH  where the images go, such as ghcr.io/owner/name
  -o, --output FOLDER   where everything goes; release/dist/VERSION without it

checks: ${CHECKS.join(', ')}
`;

export interface ReleaseArguments {
  readonly isDryRun: boolean;
  readonly hasImages: boolean;
  readonly except: ReadonlySet<Check>;
  readonly registry: string | undefined;
  readonly output: string | undefined;
}

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
): ReleaseArguments {
  const { 'dry-run': isGiven, 'no-images': hasNone, except = '', registry, output } = parsed(args);
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

function parsed(args: readonly string[]): {
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
