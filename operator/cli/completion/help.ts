import type { Command } from '../command.ts';

/** What `chancery completion --help` prints. */
const COMPLETION_HELP: string = `Usage: chancery completion bash|zsh|fish

Prints a script that completes the commands of chancery, their options, the values of options that take one of
a few words, and paths. It is made from the texts of --help, and starts no process when a key is pressed.

Exit codes: 0 printed, 2 the shell is not known.

Examples:

  # bash, in ~/.bashrc; the bash of macOS is new enough
  eval "$(chancery completion bash)"

  # zsh, in ~/.zshrc after compinit
  eval "$(chancery completion zsh)"

  # fish
  chancery completion fish > ~/.config/fish/completions/chancery.fish
`;

/** The entry in `chancery --help`. It is apart from the command, which is imported only when it runs. */
export const COMPLETION_DESCRIPTION: Omit<Command, 'run'> = {
  name: 'completion',
  summary: 'print a script that completes commands and options in bash, zsh or fish',
  help: COMPLETION_HELP,
};
