import { ConfigurationError } from 'chancery';
import type { Change } from './change.ts';
import type { CommandParts } from './commands.ts';
import { PLUGIN_KEY, type PluginRequest, type PluginResponse, SUBCOMMANDS } from './protocol.ts';
import { emptyResponse, selfDescription } from './self-description.ts';
import { answeredFiles } from './universe.ts';

type Changing = (request: PluginRequest, parts: CommandParts) => Promise<Change>;

/** The commands that change a project. Each is loaded when it is called. */
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
 * The answer to a request.
 *
 * @throws ConfigurationError `CONFIG` with a remedy, when the command cannot be carried out.
 */
export async function answer(request: PluginRequest, parts: CommandParts): Promise<Answer> {
  const { command, args, universe, paths } = request;
  const described = selfDescription(command, args);
  if (described !== undefined) return { response: described, messages: [] };
  const change = Object.hasOwn(CHANGES, command) ? CHANGES[command] : undefined;
  if (change === undefined) throw unknownCommand(command);
  const { files, messages } = await change(request, parts);
  const answered = answeredFiles(files, universe, paths);
  return { response: { ...emptyResponse(command), universe: answered }, messages };
}

/** The answer to a request that failed. kubebuilder prints the messages and writes no files. */
export function failure(command: string, messages: readonly string[]): PluginResponse {
  return { ...emptyResponse(command), error: true, errorMsgs: messages };
}

function unknownCommand(command: string): ConfigurationError {
  if (command === 'create webhook') {
    return new ConfigurationError(
      'there is nothing to do for a webhook here: run the command again with --plugins go.kubebuilder.io/v4, and then ' +
        `kubebuilder edit --plugins ${PLUGIN_KEY}`,
    );
  }
  if (command === 'flags' || command === 'metadata') {
    return new ConfigurationError(
      `${command} must be asked with one of ${SUBCOMMANDS.map((each) => `--${each}`).join(', ')}`,
    );
  }
  const shown = JSON.stringify(command.slice(0, 100));
  return new ConfigurationError(
    `this plugin knows init, create api, edit, flags and metadata, not ${shown}: update chancery`,
  );
}
