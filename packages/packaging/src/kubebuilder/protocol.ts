/**
 * The protocol of kubebuilder's external plugins. kubebuilder starts a process for each request,
 * writes one JSON document to its stdin, and reads one from its stdout. kubebuilder prints
 * everything that the process writes to stderr.
 */

export const API_VERSION = 'v1alpha1';

/** The name of the plugin for `--plugins`, and in `layout` of PROJECT. */
export const PLUGIN_NAME = 'chancery.dev';
export const PLUGIN_VERSION = 'v1';
export const PLUGIN_KEY: string = `${PLUGIN_NAME}/${PLUGIN_VERSION}`;

/**
 * The subcommands that a plugin can extend. The requests `flags` and `metadata` contain these names
 * in `args`.
 */
export const SUBCOMMANDS = ['init', 'api', 'webhook', 'edit'] as const;
export type Subcommand = (typeof SUBCOMMANDS)[number];

export interface PluginRequest {
  readonly command: string;
  /** Arguments of the command line. See `flagValues`. */
  readonly args: readonly string[];
  /** The contents of the files that the plugin reads, keyed by path with `/` as the separator. */
  readonly universe: ReadonlyMap<string, string>;
  /** The paths of all files of the project, without `.git` and folders of installed packages. */
  readonly paths: ReadonlySet<string>;
  /** The plugins of the running command. Empty for `flags` and `metadata`. */
  readonly pluginChain: readonly string[];
  /** The content of PROJECT. Undefined for `flags` and `metadata`, and in the first `init`. */
  readonly config: Readonly<Record<string, unknown>> | undefined;
}

/**
 * A flag that kubebuilder defines for the plugin. All values must be strings, including the
 * default. Otherwise kubebuilder refuses the whole answer.
 */
export interface PluginFlag {
  readonly Name: string;
  readonly Type: 'string' | 'bool' | 'int';
  readonly Default: string;
  readonly Usage: string;
}

export interface PluginResponse {
  readonly apiVersion: typeof API_VERSION;
  readonly command: string;
  readonly metadata: { readonly description: string; readonly examples: string };
  /** Files to write. kubebuilder writes them under these names and never deletes a file. */
  readonly universe: Readonly<Record<string, string>>;
  readonly error?: true;
  /** Errors. kubebuilder prints them and writes no files. */
  readonly errorMsgs?: readonly string[];
  readonly flags?: readonly PluginFlag[];
}
