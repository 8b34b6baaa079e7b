/** Maximum number of suggestions. More suggestions would not help a reader. */
const MAX_SUGGESTIONS = 5;

/**
 * The candidates that are most similar to `text`. The most similar candidate comes first. A candidate is
 * similar if at most a third of the letters differ, if it contains `text`, or if `text` contains it.
 */
export function nearMatches(text: string, candidates: Iterable<string>): readonly string[] {
  const wanted = text.toLowerCase();
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  const scored: { readonly candidate: string; readonly distance: number }[] = [];
  for (const candidate of new Set(candidates)) {
    const word = candidate.split('.', 1)[0] ?? '';
    const contains = wanted.length > 2 && (word.includes(wanted) || wanted.includes(word));
    const distance = contains ? 1 : editDistance(wanted, word);
    if (distance <= limit) scored.push({ candidate, distance });
  }
  return scored
    .sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, MAX_SUGGESTIONS)
    .map(({ candidate }) => candidate);
}

/** Levenshtein distance: the number of inserted, deleted and replaced letters. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
