import type { Command } from './command.ts';
import { environmentHelp, table } from './help.ts';

/** What `chancery run --help` prints. */
const RUN_HELP: string = `Usage: chancery run MODULE... [--check]

Loads TypeScript or JavaScript modules and runs the controllers that they export in one manager,
until SIGTERM or SIGINT. A module's default export is what controller({...}) returns, or an array of
such. "chancery" and "chancery/testing" are this toolkit in every module, wherever it lies, so that a
ConfigMap can hold an operator: TypeScript runs as it is, its types are stripped.

Options:
${table([['--check', 'print what the controllers declare, one line of JSON each, and do not run']])}

${environmentHelp()}

The log goes to standard error as JSON. Exit codes: 0 asked to stop, 1 failed, 2 a module does not load
or exports no controller, or the environment is wrong.

Example: /modules/hello.ts

  import { AWAIT_CHANGE, configMaps, controller, source } from 'chancery';

  export default controller({
    name: 'hello',
    for: source(configMaps),
    async reconcile(key, configMap, { log }) {
      log.info({ present: configMap !== undefined }, 'reconciled');
      return AWAIT_CHANGE;
    },
  });

  chancery run /modules/hello.ts
`;

/** What `chancery --help` says of the command, which is read only when it is run. */
export const RUN_DESCRIPTION: Omit<Command, 'run'> = {
  name: 'run',
  summary: 'run the controllers that modules export',
  help: RUN_HELP,
};
