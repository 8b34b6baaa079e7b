/** Lines as a Markdown list. */
export function bullets(lines: readonly string[]): string {
  return lines.map((line) => `- ${line.replaceAll('\n', ' ')}`).join('\n');
}

/** A Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const rule = head.map(() => '---');
  return [head, rule, ...rows]
    .map((row) => `| ${row.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');
}
