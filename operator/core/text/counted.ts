/** A number with a noun in the singular or plural: `1 failure`, `2 failures`. */
export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
