import { PLUGIN_KEY, type PluginResponse, type Subcommand } from './protocol.ts';

type Metadata = PluginResponse['metadata'];

/**
 * A description and examples for each subcommand. kubebuilder prints them in its help instead of
 * kubebuilder's description and examples.
 */
const METADATA: Readonly<Record<Subcommand, Metadata>> = {
  init: {
    description: `Puts kubectl proxy, as an ambassador, beside the manager of a new Go project. The manager then holds no
credentials: the proxy has the token, and lets through only what the roles of the project allow.

Without a plugin for Go, or with --typescript, it writes a project of TypeScript.`,
    examples: `  # A Go project whose manager holds no credentials
  kubebuilder init --plugins go.kubebuilder.io/v4,${PLUGIN_KEY} --domain example.com --repo example.com/shop

  # A project of TypeScript
  kubebuilder init --plugins ${PLUGIN_KEY}`,
  },
  api: {
    description: `Opens the filter of the ambassador for the new kind. With --typescript it writes the kind, its controller,
its test and a sample in TypeScript; no plugin for Go may take part then.`,
    examples: `  # A kind in Go
  kubebuilder create api --plugins go.kubebuilder.io/v4,${PLUGIN_KEY} --group shop --version v1 --kind Cart

  # A kind in TypeScript, with a Deployment for each object
  kubebuilder create api --plugins ${PLUGIN_KEY} --typescript --group shop --version v1 --kind Cart \\
    --owns deployments.apps`,
  },
  webhook: {
    description: `There is nothing to do for a webhook: this plugin answers with an error. Leave it out with --plugins.`,
    examples: `  kubebuilder create webhook --plugins go.kubebuilder.io/v4 --group shop --version v1 --kind Cart --defaulting
  kubebuilder edit --plugins ${PLUGIN_KEY}`,
  },
  edit: {
    description: `Puts the ambassador beside the manager of a Go project, or brings it up to date with the roles in config/rbac.
It may run as often as you like: without a change of the roles and the flags it changes nothing.`,
    examples: `  # After make manifests
  kubebuilder edit --plugins ${PLUGIN_KEY}

  # The proxy listens on another port
  kubebuilder edit --plugins ${PLUGIN_KEY} --proxy-port 9001`,
  },
};

/** The help texts of a subcommand. */
export function metadataOf(subcommand: Subcommand): Metadata {
  return METADATA[subcommand];
}
