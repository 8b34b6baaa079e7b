import type { CommandTable } from '../command-table.ts';

/** The command line of `chancery completion`. */
export const COMPLETION: CommandTable<Record<never, never>> = {
  name: 'completion',
  summary: 'print a script that completes commands and options in bash, zsh or fish',
  arguments: [{ name: 'bash|zsh|fish' }],
  options: {},
  needsWords: true,
  description: `Prints a script that completes the commands of chancery, their options, the values of options that take one of
a few words, and paths. It is made from the tables of the commands, and starts no process when a key is pressed.`,
  exitCodes: { 0: 'printed', 2: 'the shell is not known' },
  examples: `  # bash, in ~/.bashrc; the bash of macOS is new enough
  eval "$(chancery completion bash)"

  # zsh, in ~/.zshrc after compinit
  eval "$(chancery completion zsh)"

  # fish
  chancery completion fish > ~/.config/fish/completions/chancery.fish`,
};
