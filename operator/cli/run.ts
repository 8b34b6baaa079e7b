import { existsSync } from 'node:fs';
import { connect } from '../client/connection.ts';
import type { Controller } from '../controller/controller.ts';
import type { Log } from '../controller/reconciler.ts';
import { type Clock, systemClock } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import { connectOptions } from '../manager/connect-options.ts';
import { createLogger } from '../manager/logger.ts';
import { Manager } from '../manager/manager.ts';
import { settingsFrom } from '../manager/settings.ts';
import type { Command, ExitCode, Io } from './command.ts';
import { declarationLine } from './declaration-line.ts';
import { parseFlags } from './flags.ts';
import { loadControllers } from './load-module.ts';
import { RUN_DESCRIPTION } from './run-help.ts';
import { resolveToolkit } from './toolkit-hooks.ts';

export interface RunCommandOptions {
  readonly clock?: Clock;
  /** Where Kubernetes mounts a ServiceAccount token: it should not be there. */
  readonly tokenPath?: string;
}

const TOKEN_PATH = '/var/run/secrets/kubernetes.io/serviceaccount/token';

/** `chancery run`: the controllers of modules, in one manager. */
export function runCommand({
  clock = systemClock,
  tokenPath = TOKEN_PATH,
}: RunCommandOptions = {}): Command {
  return {
    ...RUN_DESCRIPTION,

    async run(args: readonly string[], io: Io): Promise<ExitCode> {
      const { values, positionals } = parseFlags(args, { check: { type: 'boolean' } });
      if (positionals.length === 0) {
        throw new ConfigurationError('expected at least one MODULE, such as operator.ts; got none');
      }
      const settings = settingsFrom(io.env);
      const log = createLogger(settings.logLevel, io.stderr);
      resolveToolkit();
      const controllers: Controller[] = [];
      for (const path of positionals) controllers.push(...(await load(path, log)));
      const connection = connect(settings.apiUrl, { clock, ...connectOptions(settings, log) });
      try {
        const manager = new Manager({
          settings,
          controllers,
          clock,
          connection,
          logFor: (facts) => log.child(facts),
        });
        if (values.check === true) declare(controllers, io);
        else {
          warnOfToken(tokenPath, log);
          await manager.run(io.signal);
        }
      } finally {
        await connection.close();
      }
      return 0;
    },
  };
}

async function load(path: string, log: Log): Promise<readonly Controller[]> {
  try {
    return await loadControllers(path);
  } catch (error) {
    const { cause } = error as ConfigurationError;
    if (cause instanceof Error) log.debug({ path, stack: cause.stack }, 'module failed to load');
    throw error;
  }
}

function declare(controllers: readonly Controller[], { stdout }: Io): void {
  for (const controller of controllers) stdout.write(`${declarationLine(controller)}\n`);
}

/** The ambassador holds the credentials; a token in the operator's reach undoes that. */
function warnOfToken(path: string, log: Log): void {
  if (existsSync(path)) {
    log.warn({ path }, 'a ServiceAccount token is visible, the operator needs none');
  }
}
