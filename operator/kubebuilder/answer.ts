import { ConfigurationError } from '../core/errors.ts';
import type { Change } from './change.ts';
import type { CommandParts } from './commands.ts';
import { flagsOf } from './flags.ts';
import { metadataOf } from './metadata.ts';
import {
  API_VERSION,
  PLUGIN_KEY,
  type PluginRequest,
  type PluginResponse,
  SUBCOMMANDS,
  type Subcommand,
} from './protocol.ts';
import { answeredFiles } from './universe.ts';

type Changing = (request: PluginRequest, parts: CommandParts) => Promise<Change>;

/** The commands that change a project. They are loaded when they are called: `flags` and `metadata` need none. */
const CHANGES: Readonly<Record<string, Changing>> = {
  init: async (request, parts) => (await import('./commands.ts')).initProject(request, parts),
  'create api': async (request, parts) => (await import('./commands.ts')).createApi(request, parts),
  edit: async (request, parts) => (await import('./commands.ts')).editProject(request, parts),
};

export interface Answer {
  readonly response: PluginResponse;
  readonly messages: readonly string[];
}

/**
 * Answers a request.
 *
 * @throws ConfigurationError `CONFIG` when the command cannot be carried out, with what to do about it.
 */
export async function answer(request: PluginRequest, parts: CommandParts): Promise<Answer> {
  const { command, args, universe, paths } = request;
  if (command === 'metadata') {
    return told(command, { metadata: metadataOf(subcommandOf(command, args)) });
  }
  if (command === 'flags') return told(command, { flags: flagsOf(subcommandOf(command, args)) });
  const change = Object.hasOwn(CHANGES, command) ? CHANGES[command] : undefined;
  if (change === undefined) throw unknownCommand(command);
  const { files, messages } = await change(request, parts);
  return { ...told(command, { universe: answeredFiles(files, universe, paths) }), messages };
}

/** The answer for a request that failed. kubebuilder prints the messages and writes nothing. */
export function failure(command: string, messages: readonly string[]): PluginResponse {
  return { ...empty(command), error: true, errorMsgs: messages };
}

function told(command: string, fields: Partial<PluginResponse>): Answer {
  return { response: { ...empty(command), ...fields }, messages: [] };
}

function empty(command: string): PluginResponse {
  return {
    apiVersion: API_VERSION,
    command,
    metadata: { description: '', examples: '' },
    universe: {},
  };
}

function subcommandOf(command: string, args: readonly string[]): Subcommand {
  const found = SUBCOMMANDS.find((subcommand) => args.includes(`--${subcommand}`));
  if (found !== undefined) return found;
  throw new ConfigurationError(
    `${command} must be asked with one of ${SUBCOMMANDS.map((each) => `--${each}`).join(', ')}`,
  );
}

function unknownCommand(command: string): ConfigurationError {
  if (command === 'create webhook') {
    return new ConfigurationError(
      'there is nothing to do for a webhook here: run the command again with --plugins go.kubebuilder.io/v4, and then ' +
        `kubebuilder edit --plugins ${PLUGIN_KEY}`,
    );
  }
  return new ConfigurationError(
    `this plugin knows init, create api, edit, flags and metadata, not ${JSON.stringify(command)}: update chancery`,
  );
}
