/** The rows of `docs/guarantees.md`: what is promised, by which tag, and which files show it. */
import { readFileSync } from 'node:fs';

export const GUARANTEES = 'docs/guarantees.md';

export interface Guarantee {
  /** `W-20`, or the number of a scenario: `H41`. */
  readonly tag: string;
  readonly promise: string;
  /** From the root of the repository. */
  readonly files: readonly string[];
}

export function readGuarantees(): readonly Guarantee[] {
  return guaranteesIn(readFileSync(new URL(`../../${GUARANTEES}`, import.meta.url), 'utf8'));
}

/** Each row: | tag | promise | `file`, `file` |. */
export function guaranteesIn(page: string): readonly Guarantee[] {
  return rowsIn(page).map((line) => {
    const [, tag, promise, cell] =
      /^\| (\S+) \| (.+) \| (`[^`]+`(?:, `[^`]+`)*) \|$/.exec(line) ?? [];
    if (tag === undefined || promise === undefined || cell === undefined) {
      throw new Error(`${GUARANTEES}: write "| tag | promise | \`file\`, \`file\` |": ${line}`);
    }
    return { tag, promise, files: cell.slice(1, -1).split('`, `') };
  });
}

function rowsIn(page: string): readonly string[] {
  return page.split('\n').filter((line) => /^\| *(?:[A-Z]+-\d+|H\d\d)\b/.test(line));
}

/** What a title of a test that holds it has: `[W-20]`; a scenario's number has no brackets. */
export function markOf({ tag }: Pick<Guarantee, 'tag'>): string {
  return isScenario(tag) ? tag : `[${tag}]`;
}

/** @param title - of a test, with those of its `describe`s or without. */
export function isTagged(title: string, guarantee: Pick<Guarantee, 'tag'>): boolean {
  const mark = markOf(guarantee);
  return isScenario(guarantee.tag) ? title.split(/[^\w-]+/).includes(mark) : title.includes(mark);
}

export function isScenario(tag: string): boolean {
  return /^H\d\d$/.test(tag);
}
