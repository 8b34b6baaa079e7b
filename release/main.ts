/**
 * `npm run release -- --dry-run`: makes everything that a release publishes, in one folder, and tells what still
 * speaks against publishing it. Without `--dry-run` it is published, if nothing does.
 *
 * Exit codes: 0 when nothing speaks against it, 1 when something does or publishing failed, 2 for wrong arguments.
 */
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseReleaseArguments, type ReleaseArguments, USAGE, UsageError } from './arguments.ts';
import { release } from './release.ts';

const root = fileURLToPath(new URL('../', import.meta.url));

function readArguments(): ReleaseArguments | undefined {
  try {
    return parseReleaseArguments(process.argv.slice(2), process.env);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`release: ${error.message}\n\n${USAGE}`);
    return undefined;
  }
}

const given = readArguments();
process.exitCode =
  given === undefined
    ? 2
    : await release({
        ...given,
        root,
        env: process.env,
        say: (line) => process.stdout.write(`${line}\n`),
      });
