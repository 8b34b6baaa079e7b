import { textFiles } from 'chancery/internal';

const texts = textFiles(new URL('./', import.meta.url));

/** Values for the placeholders in a text. */
export type TextValues = Readonly<Record<string, string | readonly string[]>>;

/**
 * The text of a file in the folder `texts`, with its placeholders replaced. `${name}` is replaced
 * with a string. A line that contains only `# ${name}` is replaced with lines; an empty list
 * removes the line.
 *
 * @throws Error when a value is missing: that is a bug of the toolkit.
 */
export function chartText(name: string, values: TextValues): string {
  const textOf = (key: string): string | readonly string[] => {
    const value = values[key];
    if (value === undefined) throw new Error(`texts/${name} has no value for ${key}`);
    return value;
  };
  return texts(`texts/${name}`).replace(
    /^# \$\{(\w+)\}\n|\$\{(\w+)\}/gm,
    (_all, lines: string | undefined, word: string) =>
      lines === undefined
        ? String(textOf(word))
        : [textOf(lines)]
            .flat()
            .map((line) => `${line}\n`)
            .join(''),
  );
}
