/**
 * `npm run release -- --dry-run`: makes everything that a release publishes, in one folder, and tells what still
 * speaks against publishing it. Without `--dry-run` it is published, if nothing does.
 *
 * Exit codes: 0 when nothing speaks against it, 1 when something does or publishing failed, 2 for wrong arguments.
 */
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { checkOutput, parseReleaseArguments, USAGE, UsageError } from './arguments.ts';
import { release } from './release.ts';

const root = fileURLToPath(new URL('../', import.meta.url));

/** @returns the exit code. */
async function main(): Promise<0 | 1 | 2> {
  try {
    const given = parseReleaseArguments(process.argv.slice(2), process.env);
    // npm of a child must pack, also where this one was called as `npm run release --dry-run`.
    delete process.env.npm_config_dry_run;
    if (given === 'help') {
      process.stdout.write(USAGE);
      return 0;
    }
    await checkOutput(root, given.output);
    const say = (line: string): void => void process.stdout.write(`${line}\n`);
    return await release({ ...given, root, env: process.env, say });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`release: ${error.message}\n\n${USAGE}`);
    return 2;
  }
}

process.exitCode = await main();
