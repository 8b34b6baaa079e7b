import type { Difference } from './difference.ts';
import type { ChapterResult } from './report.ts';

/** How many exchanges differ in one way. */
export interface DifferenceKind {
  /** Such as `status 422, not 409` or `body: message`. */
  readonly kind: string;
  readonly count: number;
  /** A recording and an exchange. */
  readonly example: string;
}

/** Exchanges that differ, by the most important thing in which each does: the most frequent first, and status codes before all. */
export function kindsOf(results: readonly ChapterResult[]): readonly DifferenceKind[] {
  const kinds = new Map<string, { count: number; example: string }>();
  for (const { recording, exchanges } of results) {
    for (const { id, differences } of exchanges) {
      if (differences.length === 0) continue;
      const kind = kindOf(differences);
      const { count, example } = kinds.get(kind) ?? { count: 0, example: `${recording} ${id}` };
      kinds.set(kind, { count: count + 1, example });
    }
  }
  return [...kinds]
    .map(([kind, found]) => ({ kind, ...found }))
    .sort((a, b) => Number(isStatus(b)) - Number(isStatus(a)) || b.count - a.count);
}

/** Whether a status code differs. */
export function isStatus({ kind }: Pick<DifferenceKind, 'kind'>): boolean {
  return kind.startsWith('status ');
}

function kindOf(differences: readonly Difference[]): string {
  const status = differences.find(({ path }) => path === 'status');
  if (status) return `status ${status.recorded}, not ${status.own}`;
  const head = differences.find(({ path }) => !path.startsWith('body'));
  if (head) return head.path;
  const [first] = differences;
  // Positions in lists and the values of maps are not a kind.
  const fields = (first?.path ?? '').replace(/\[\d+\]/g, '[]').split('.');
  return fields.slice(0, 3).join('.');
}
