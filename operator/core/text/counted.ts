/** A number with its noun: `1 failure`, `2 failures`. */
export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
