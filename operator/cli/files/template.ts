/** The values of the placeholders of a template. */
export type TemplateValues = Readonly<Record<string, string>>;

/**
 * Fills the placeholders in the template of a new file. `{{name}}` is replaced by a value. A line
 * that contains only `{{name}}` is replaced by lines with the indentation of the placeholder. An
 * empty value removes the line.
 *
 * @throws Error for a placeholder without a value, which is a bug of the toolkit.
 */
export function fillTemplate(text: string, values: TemplateValues): string {
  const valueNamed = (name: string): string => {
    const value = values[name];
    if (value === undefined) throw new Error(`a template has no value for {{${name}}}`);
    return value;
  };
  return text.replace(
    /^( *)\{\{(\w+)\}\}\n|\{\{(\w+)\}\}/gm,
    (_placeholder, indent: string, lines: string | undefined, value: string) =>
      lines === undefined
        ? valueNamed(value)
        : valueNamed(lines)
            .replace(/^(?=.)/gm, indent)
            .replace(/(?<=.)$(?!\n)/, '\n'),
  );
}
