import { type Argument, type CommandTable, optionsOf } from '../command-table.ts';
import { isOther } from '../flags.ts';
import { type Option, valueName } from '../value-types.ts';

/** A value of an option, or a positional argument. */
export interface DescribedValue {
  /** The words to choose from. Empty when any text is allowed. */
  readonly words: readonly string[];
  /** True when the value is a path. */
  readonly isPath: boolean;
}

export interface DescribedOption extends DescribedValue {
  /** The long name, with its dashes. */
  readonly long: string;
  /** The short name, with its dash. */
  readonly short: string | undefined;
  /** The name of the value in the help. Undefined for a switch. */
  readonly argument: string | undefined;
  readonly meaning: string;
}

/** A command, as the completion scripts need it. */
export interface DescribedCommand {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly DescribedOption[];
  /** The first word after the command. */
  readonly first: DescribedValue;
  /** All further arguments. */
  readonly others: DescribedValue;
}

const HELP: DescribedOption = {
  long: '--help',
  short: '-h',
  argument: undefined,
  meaning: 'explain the command',
  words: [],
  isPath: false,
};

/**
 * Describes a command for the completion scripts. The description is made from the table of the
 * command.
 */
export function describedCommand(table: CommandTable): DescribedCommand {
  const { name, summary, kinds = {}, arguments: words = [] } = table;
  const shown = Object.entries(optionsOf(table)).filter(([, { hidden }]) => hidden !== true);
  const [argument, second = argument?.repeats === true ? argument : undefined] = words;
  const kindWords = Object.keys(kinds).filter((kind) => !isOther(kind));
  const isKindRequired = kindWords.length > 0 && kindWords.length === Object.keys(kinds).length;
  const plain = describedArgument(argument);
  return {
    ...{ name, summary },
    options: [...shown.map(([long, option]) => describedOption(long, option)), HELP],
    first: isKindRequired
      ? { words: kindWords, isPath: false }
      : { ...plain, words: [...kindWords, ...plain.words] },
    others: isKindRequired ? plain : describedArgument(second),
  };
}

/**
 * Describes an option for the completion scripts. An option with an optional value, such as
 * `--inspect[=PORT]`, is completed as a switch.
 */
function describedOption(name: string, option: Option): DescribedOption {
  const { short, type, choices, help, implied } = option;
  return {
    long: `--${name}`,
    short: short === undefined ? undefined : `-${short}`,
    argument: implied === undefined ? valueName(option) : undefined,
    meaning: help,
    words: choices ?? wordsIn(valueName(option)),
    isPath: type === 'path',
  };
}

function describedArgument(argument: Argument | undefined): DescribedValue {
  return { words: wordsIn(argument?.name), isPath: argument?.isPath === true };
}

/**
 * The words to choose from in the name of a value, such as `own|all|A,B`. Words in capitals are
 * placeholders.
 */
function wordsIn(name = ''): readonly string[] {
  return name.split('|').filter((word) => /^[a-z0-9][a-z0-9.-]*$/.test(word));
}
