import type { CommandTable } from '../command-table.ts';

const OPTIONS = {
  dir: {
    type: 'path',
    value: 'DIR',
    help: 'install: the folder of plugins; default EXTERNAL_PLUGINS_PATH, or else kubebuilder/plugins in XDG_CONFIG_HOME or where the system keeps settings',
  },
} as const;

/** The command line of `chancery plugin`. */
export const PLUGIN: CommandTable<typeof OPTIONS> = {
  name: 'plugin',
  summary: 'be a plugin of kubebuilder, for projects of Go',
  arguments: [{ name: 'kubebuilder|install' }],
  options: OPTIONS,
  needsWords: true,
  description: `\`install\` makes this chancery a plugin of kubebuilder, chancery.dev/v1: it writes one small executable into the folder
in which kubebuilder looks for plugins. After that:

  kubebuilder edit --plugins chancery.dev/v1

puts kubectl proxy beside the manager of a project of Go, which then holds no credentials.

It needs the package @chancery/packaging beside chancery: npm install --global chancery @chancery/packaging

Node and chancery are named in it: run \`install\` again when one of them moves. To remove the plugin, remove the folder
chancery.dev that \`install\` names.

\`kubebuilder\` is what that executable starts. It reads one request from stdin and writes one answer to stdout.`,
  exitCodes: {
    0: 'written, or answered. A failed request is answered with an error, and 0',
    1: 'the plugin cannot be written',
    2: 'the command line is wrong',
  },
  examples: `  chancery plugin install
  kubebuilder edit --plugins chancery.dev/v1 --help`,
};
