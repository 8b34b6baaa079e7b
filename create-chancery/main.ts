/**
 * `npm create chancery`: the command `chancery init` without the toolkit. The build makes one file of it,
 * which imports nothing but Node's own modules and runs on Node 20.
 */
import process from 'node:process';
import { init } from '../operator/cli/init/init.ts';
import { INIT } from '../operator/cli/init/table.ts';
import { command } from '../operator/cli/table-command.ts';
import { ConfigurationError, OperatorError } from '../operator/core/errors.ts';
import { VERSION } from '../operator/core/version.ts';

const args = process.argv.slice(2);
const DEFINITIONS = /^--from(?:-crd)?(?:=|$)/;
const initializes = command(INIT, async () => init);

if (args.includes('--help') || args.includes('-h')) process.stdout.write(initializes.help);
else if (args.includes('-v')) process.stdout.write(`${VERSION}\n`);
else if (args.some((arg) => DEFINITIONS.test(arg))) refuseDefinitions();
else await run();

/** Definitions are YAML, which the toolkit reads with a library that this file does not have. */
function refuseDefinitions(): void {
  process.stderr.write(
    'create-chancery: --from and --from-crd need the toolkit: run npx chancery init with the same arguments\n',
  );
  process.exitCode = 2;
}

async function run(): Promise<void> {
  try {
    process.exitCode = await initializes.run(args, {
      stdin: process.stdin,
      stdout: process.stdout,
      stderr: process.stderr,
      env: process.env,
      signal: new AbortController().signal,
      exitWithin: () => {},
      saveMemory: () => {},
      exitWithParent: () => {},
    });
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    process.stderr.write(`create-chancery: ${error.message}\n`);
    process.exitCode = error instanceof ConfigurationError ? 2 : 1;
  }
}
