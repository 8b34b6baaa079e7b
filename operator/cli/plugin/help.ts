import type { Command } from '../command.ts';
import { table } from '../help.ts';

/** What `chancery plugin --help` prints. */
const PLUGIN_HELP: string = `Usage: chancery plugin kubebuilder|install [OPTION...]

\`install\` makes this chancery a plugin of kubebuilder, chancery.dev/v1: it writes one small executable into the folder
in which kubebuilder looks for plugins. After that:

  kubebuilder edit --plugins chancery.dev/v1

puts kubectl proxy beside the manager of a project of Go, which then holds no credentials.

It needs the package @chancery/packaging beside chancery: npm install --global chancery @chancery/packaging

Node and chancery are named in it: run \`install\` again when one of them moves. To remove the plugin, remove the folder
chancery.dev that \`install\` names.

\`kubebuilder\` is what that executable starts. It reads one request from stdin and writes one answer to stdout.

Options:
${table([
  ['--dir DIR', 'install: the folder of plugins; default EXTERNAL_PLUGINS_PATH, or else'],
  ['', 'kubebuilder/plugins in XDG_CONFIG_HOME or where the system keeps settings'],
])}

Exit codes:
${table([
  ['0', 'written, or answered. A failed request is answered with an error, and 0'],
  ['1', 'the plugin cannot be written'],
  ['2', 'the command line is wrong'],
])}

Examples:

  chancery plugin install
  kubebuilder edit --plugins chancery.dev/v1 --help
`;

/** The entry in `chancery --help`. It is apart from the command, which is imported only when it runs. */
export const PLUGIN_DESCRIPTION: Omit<Command, 'run'> = {
  name: 'plugin',
  summary: 'be a plugin of kubebuilder, for projects of Go',
  help: PLUGIN_HELP,
};
