import { flagsOf } from './defined-flags.ts';
import { metadataOf } from './metadata.ts';
import { API_VERSION, type PluginResponse, SUBCOMMANDS } from './protocol.ts';

/**
 * The answer to `flags` and to `metadata`, which kubebuilder requests before each of its commands.
 * Undefined for other commands, and when `args` contain no subcommand. These requests are answered
 * before anything else is loaded, so this module imports only constant tables.
 */
export function selfDescription(
  command: unknown,
  args: readonly unknown[],
): PluginResponse | undefined {
  const subcommand = SUBCOMMANDS.find((each) => args.includes(`--${each}`));
  if (subcommand === undefined) return undefined;
  if (command === 'metadata')
    return { ...emptyResponse(command), metadata: metadataOf(subcommand) };
  if (command === 'flags') return { ...emptyResponse(command), flags: flagsOf(subcommand) };
  return undefined;
}

/** An answer that changes nothing. */
export function emptyResponse(command: string): PluginResponse {
  return {
    apiVersion: API_VERSION,
    command,
    metadata: { description: '', examples: '' },
    universe: {},
  };
}

/**
 * The answer to a request that arrived as one short text, if it asks for `flags` or `metadata`.
 * Undefined for every other request, including malformed ones, whose problems `readRequest`
 * reports.
 */
export function quickAnswer(text: string): PluginResponse | undefined {
  try {
    const { apiVersion, command, args } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    if (apiVersion !== API_VERSION || !Array.isArray(args)) return undefined;
    return selfDescription(command, args);
  } catch {
    return undefined;
  }
}
